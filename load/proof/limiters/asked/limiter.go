// Token buckets of Go. FORM: "rate" or "rate wait" of golang.org/x/time; "juju" or "juju quantum" of juju/ratelimit.
package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/juju/ratelimit"
	"golang.org/x/time/rate"
)

var quota, _ = strconv.Atoi(os.Getenv("QUOTA"))
var seconds, _ = strconv.Atoi(os.Getenv("WINDOW_SECONDS"))
var window = time.Duration(seconds) * time.Second

// A take says whether a request is admitted, and how many tokens are left.
type take func(context.Context) (bool, float64)

var forms = map[string]func() take{
	"rate": func() take {
		limiter := rate.NewLimiter(rate.Every(window/time.Duration(quota)), quota)
		return func(context.Context) (bool, float64) { return limiter.Allow(), limiter.Tokens() }
	},
	"rate wait": func() take {
		limiter := rate.NewLimiter(rate.Every(window/time.Duration(quota)), quota)
		return func(request context.Context) (bool, float64) { return limiter.Wait(request) == nil, limiter.Tokens() }
	},
	"juju": func() take {
		bucket := ratelimit.NewBucketWithRate(float64(quota)/window.Seconds(), int64(quota))
		return func(context.Context) (bool, float64) { return bucket.TakeAvailable(1) == 1, float64(bucket.Available()) }
	},
	"juju quantum": func() take {
		bucket := ratelimit.NewBucketWithQuantum(window, int64(quota), int64(quota))
		return func(context.Context) (bool, float64) { return bucket.TakeAvailable(1) == 1, float64(bucket.Available()) }
	},
}

func main() {
	var lock sync.Mutex
	buckets := map[string]take{}
	of := func(bucket string) take {
		lock.Lock()
		defer lock.Unlock()
		if buckets[bucket] == nil {
			buckets[bucket] = forms[os.Getenv("FORM")]()
		}
		return buckets[bucket]
	}
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		admitted, left := of(request.Header.Get("X-Bucket"))(request.Context())
		header := answer.Header()
		header.Set("X-RateLimit-Limit", fmt.Sprint(quota))
		header.Set("X-RateLimit-Remaining", fmt.Sprint(math.Max(0, math.Floor(left))))
		if os.Getenv("FORM") != "juju quantum" {
			full := time.Duration((float64(quota) - left) / float64(quota) * float64(window))
			header.Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(full+time.Second-1).Unix()))
		}
		if admitted {
			answer.WriteHeader(http.StatusNoContent)
			return
		}
		// A token comes within a second, or with the window's end, which this bucket does not tell.
		header.Set("Retry-After", map[bool]string{true: fmt.Sprint(seconds), false: "1"}[os.Getenv("FORM") == "juju quantum"])
		answer.WriteHeader(http.StatusTooManyRequests)
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
