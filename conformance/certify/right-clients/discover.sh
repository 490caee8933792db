#!/bin/bash
# The recommended flow with curl and jq.
set -u
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
session=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')

# ask METHOD PATH [JSON]: prints the answer; its status is in $status, and 000 where it did not arrive whole.
ask() {
  local sent=()
  [ $# -gt 2 ] && sent=(--data "$3")
  : >"$headers"
  if ! body=$(curl --silent --request "$1" --header "Authorization: Bearer $API_KEY" --dump-header "$headers" \
    --header 'Content-Type: application/json' "${sent[@]}" "$BASE_URL$2"); then
    status=000
    return
  fi
  status=$(awk 'NR == 1 { print $2 }' "$headers")
  if [ "$status" = 429 ]; then
    sleep "$(tr -d '\r' <"$headers" | awk 'tolower($1) == "retry-after:" { print $2 }')"
    ask "$@"
  fi
}

# What is free is asked until it is answered, within reason.
free() {
  for _ in 1 2 3 4 5 6; do
    ask "$@"
    [ "$status" = 200 ] && return
    sleep 0.1
  done
}

# audited QUERY: reads the audit until it shows an event; records may come late.
audited() {
  for _ in 1 2 3 4; do
    free GET "/auth/usage/history/v2?$1"
    jq --exit-status '.data.items[0]' <<<"$body" >/dev/null && break
    sleep 0.1
  done
  jq --raw-output '.data.items[0].charge_outcome // "unknown"' <<<"$body"
}

# task QUERY VALUES
task() {
  local search tool call
  free POST /search "$(jq --null-input --arg query "$1" --arg session_id "$session" '$ARGS.named')"
  search=$(jq --raw-output .search_id <<<"$body")
  tool=$(jq --argjson values "$2" '
    first(.results[] | select(.params and all(.params[]; (.required | not) or ($values[.name] as $value
      | $value != null and ((.enum == null) or any(.enum[]; . == $value))))))' <<<"$body")
  call=$(jq --argjson values "$2" --arg search "$search" --arg session "$session" '{
    tool_id, search_id: $search, session_id: $session, model: "curl-1",
    parameters: [.params[].name | select($values[.] != null) | {key: ., value: $values[.]}] | from_entries }' <<<"$tool")
  ask POST /tools/execute "$call"
  if [ "$status" = 200 ]; then
    audited "execution_id=$(jq --raw-output .execution_id <<<"$body")"
  else
    audited "kind=call&search_id=$search"
  fi
}

task 'current weather in a city' '{"city": "Graz", "units": "metric"}'
task 'stock quote' '{"symbol": "ACME"}'
