# Schedule::RateLimiter of Perl, which keeps the times of as many events as it allows.
use strict;
use warnings;
use Schedule::RateLimiter;

my %limiters;
sub {
    my ($env) = @_;
    my $limiter = $limiters{ $env->{HTTP_X_BUCKET} // "" } //= Schedule::RateLimiter->new(
        iterations => $ENV{QUOTA},
        seconds    => $ENV{WINDOW_SECONDS},
        block      => 0,
    );
    return [ 204, [], [] ] if $limiter->event();
    # It does not say when it allows the next one: at the latest after a window.
    return [ 429, [ "Retry-After" => $ENV{WINDOW_SECONDS} ], [] ];
};
