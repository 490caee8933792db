<?php
// Sends one POST as an application would: send.php LIBRARY BASE CASE.
[, $library, $base, $which] = $argv;
$url = "$base/$which";
$body = '{"tool_id":"weather.current.v1"}';
$headers = ['Content-Type: application/json'];
if (str_starts_with($library, 'guzzle')) require 'GuzzleHttp/autoload.php';

if ($which === 'version') {
    echo match (true) {
        str_starts_with($library, 'guzzle') => GuzzleHttp\ClientInterface::MAJOR_VERSION,
        $library === 'ext-curl' => 'PHP ' . PHP_VERSION . ', libcurl ' . curl_version()['version'],
        default => 'PHP ' . PHP_VERSION,
    }, "\n";
    exit;
}

try {
    if ($library === 'ext-curl') {
        $curl = curl_init();
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
        if ($which === 'kept') {
            curl_setopt($curl, CURLOPT_URL, "$base/warm");
            curl_exec($curl);
        }
        curl_setopt_array($curl, [CURLOPT_URL => $url, CURLOPT_POSTFIELDS => $body, CURLOPT_HTTPHEADER => $headers]);
        curl_exec($curl);
    } elseif ($library === 'file_get_contents') {
        $options = ['method' => 'POST', 'header' => $headers, 'content' => $body];
        @file_get_contents($url, false, stream_context_create(['http' => $options]));
    } else {
        $stack = GuzzleHttp\HandlerStack::create();
        $fails = fn ($count, $request, $answer, $error) => $count < 2 && ($error || $answer->getStatusCode() >= 500);
        if ($library !== 'guzzle') $stack->push(GuzzleHttp\Middleware::retry($fails, fn () => 100));
        $client = new GuzzleHttp\Client(['handler' => $stack]);
        if ($which === 'kept') $client->get("$base/warm");
        $client->post($url, ['json' => ['tool_id' => 'weather.current.v1']]);
    }
} catch (Throwable $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
}
