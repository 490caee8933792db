<?php
// Symfony's RateLimiter, its counts in files and under a lock. FORM: the policy; then "docs" for the headers of its manual.

require "/usr/share/php/Symfony/Component/RateLimiter/autoload.php";
require "/usr/share/php/Symfony/Component/Cache/autoload.php";
require "/usr/share/php/Symfony/Component/Lock/autoload.php";

use Symfony\Component\Cache\Adapter\FilesystemAdapter;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;
use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\CacheStorage;

[$policy, $docs] = explode(" ", getenv("FORM") . " ");
$factory = new RateLimiterFactory(
    [
        "id" => "api",
        "policy" => $policy,
        "limit" => (int) getenv("QUOTA"),
        "interval" => getenv("WINDOW_SECONDS") . " seconds",
    ],
    new CacheStorage(new FilesystemAdapter("", 0, getcwd())),
    new LockFactory(new FlockStore(getcwd())),
);
$limit = $factory->create($_SERVER["HTTP_X_BUCKET"] ?? "")->consume();
$wait = $limit->getRetryAfter()->getTimestamp() - time();
header("X-RateLimit-Limit: " . $limit->getLimit());
header("X-RateLimit-Remaining: " . $limit->getRemainingTokens());
if ($docs === "docs") {
    header("X-RateLimit-Retry-After: " . $wait);
} elseif (!$limit->isAccepted()) {
    header("Retry-After: " . max(0, $wait));
}
http_response_code($limit->isAccepted() ? 204 : 429);
