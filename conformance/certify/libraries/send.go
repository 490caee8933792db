// Sends one POST as an application would: send LIBRARY BASE CASE.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func main() {
	library, base, which := os.Args[1], os.Args[2], os.Args[3]
	if which == "version" {
		if strings.HasPrefix(library, "net/http") {
			fmt.Println(runtime.Version())
		} else {
			fmt.Println("of Debian")
		}
		return
	}
	client := &http.Client{}
	if library == "go-retryablehttp" {
		retrying := retryablehttp.NewClient()
		retrying.RetryMax, retrying.RetryWaitMin, retrying.Logger = 2, 100*time.Millisecond, nil
		client = retrying.StandardClient()
	}
	if which == "kept" {
		if answer, err := client.Get(base + "/warm"); err == nil {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
	request, _ := http.NewRequest("POST", base+"/"+which, strings.NewReader(`{"tool_id":"weather.current.v1"}`))
	request.Header.Set("Content-Type", "application/json")
	if strings.Contains(library, "Idempotency-Key") {
		request.Header.Set("Idempotency-Key", "one")
	}
	if _, err := client.Do(request); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
