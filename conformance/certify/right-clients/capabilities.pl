# Queries capabilities, and looks a lost query up in the usage audit.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes qw(sleep);

my $json = JSON::PP->new->canonical->utf8;
my $http = HTTP::Tiny->new(timeout => 90, keep_alive => 0);

# Status, Retry-After and JSON; status 599 where the answer did not arrive whole.
sub ask {
  my ($method, $path, $sent) = @_;
  my $headers = { authorization => "Bearer $ENV{API_KEY}", "content-type" => "application/json" };
  my $answer = $http->request($method, $ENV{BASE_URL} . $path,
    { headers => $headers, defined $sent ? (content => $json->encode($sent)) : () });
  if ($answer->{status} == 429) {
    sleep $answer->{headers}{"retry-after"};
    return ask(@_);
  }
  my $body = eval { $json->decode($answer->{content}) };
  return { status => defined $body ? $answer->{status} : 599, body => $body };
}

sub free {
  for (1 .. 6) {
    my $answer = ask(@_);
    return $answer->{body} if $answer->{status} == 200;
    sleep 0.1;
  }
  return {};
}

# The newest event of a capability query since this program began; an empty list may fill later.
sub audited {
  my ($focus) = @_;
  for (1 .. 4) {
    my $items = free("GET", "/auth/usage/history/v2?$focus")->{data}{items} || [];
    return $items->[0]{charge_outcome} if @$items;
    sleep 0.1;
  }
  return "unknown";
}

my @begun = gmtime(time - 5);
my $since = sprintf "%04d-%02d-%02dT%02d:%02d:%02dZ", $begun[5] + 1900, $begun[4] + 1, @begun[3, 2, 1, 0];
for my $parameters ({ symbol => "ACME" }, { symbol => "GLOBEX" }) {
  my $answer = ask("POST", "/capabilities/query", { capability_id => "market.quote", parameters => $parameters });
  my $id = $answer->{status} == 200 ? $answer->{body}{execution_id} : undef;
  my $focus = defined $id ? "execution_id=$id" : "kind=call&event_type=capabilities_query&start_date=$since";
  print "market.quote ", audited($focus), "\n";
}
