# Sends one POST as an application would: send.rb LIBRARY BASE CASE.
require "net/http"
library, base, which = ARGV
name = library.split(",").first
require name unless name == "net/http"
url, body, headers = "#{base}/#{which}", '{"tool_id":"weather.current.v1"}', { "Content-Type" => "application/json" }

if which == "version"
  puts({ "faraday" => -> { Faraday::VERSION }, "excon" => -> { Excon::VERSION } }.fetch(name, -> { "Ruby #{RUBY_VERSION}" }).call)
  exit
end

begin
  case library
  when "net/http"
    uri = URI(url)
    Net::HTTP.start(uri.host, uri.port) do |http|
      http.get("#{URI(base).path}/warm") if which == "kept"
      http.post(uri.path, body, headers)
    end
  when "faraday"
    Faraday.post(url, body, headers)
  else
    client = Excon.new(base, persistent: true)
    client.get(path: "#{URI(base).path}/warm") if which == "kept"
    client.post(path: URI(url).path, body: body, headers: headers, idempotent: library.include?("idempotent"))
  end
rescue StandardError => error
  warn error.message
end
