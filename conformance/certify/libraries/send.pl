# Sends one POST as an application would: send.pl LIBRARY BASE CASE.
use strict;
use LWP::UserAgent;
my ($library, $base, $which) = @ARGV;
if ($which eq "version") { print LWP->VERSION, "\n"; exit }
my $agent = LWP::UserAgent->new(keep_alive => 1);
$agent->get("$base/warm") if $which eq "kept";
my $answer = $agent->post("$base/$which", "Content-Type" => "application/json", Content => '{"tool_id":"weather.current.v1"}');
print STDERR $answer->status_line, "\n";
