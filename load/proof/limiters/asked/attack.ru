# Rack::Attack with its counts in Redis. FORM: "shipped", or "headers", which shows the contract's.
require "rack/attack"
require "redis"

quota = Integer(ENV["QUOTA"])
Rack::Attack.cache.store = Redis.new(url: ENV["REDIS_URL"])
Rack::Attack.cache.prefix = ENV["PREFIX"]
Rack::Attack.throttle("api", limit: quota, period: Integer(ENV["WINDOW_SECONDS"])) do |request|
  request.get_header("HTTP_X_BUCKET")
end

headers = lambda do |data|
  wait = data[:period] - data[:epoch_time] % data[:period]
  {
    "X-RateLimit-Limit" => quota.to_s,
    "X-RateLimit-Remaining" => [0, quota - data[:count]].max.to_s,
    "X-RateLimit-Reset" => (data[:epoch_time] + wait).to_s,
    "Retry-After" => wait.to_s,
  }
end

if ENV["FORM"] == "headers"
  Rack::Attack.throttled_responder = lambda do |request|
    [429, headers.call(request.env["rack.attack.match_data"]), []]
  end
end

use Rack::Attack
run(lambda do |env|
  data = env.dig("rack.attack.throttle_data", "api")
  [204, data && ENV["FORM"] == "headers" ? headers.call(data) : {}, []]
end)
