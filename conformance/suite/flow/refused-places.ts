import { isFields } from "../../judge/seen.ts";

/** The places of a request that an answer refuses, each as a path such as `body`, `parameters`, `city`. */
export function refusedPlaces(body: unknown): string[][] {
  const issues = isFields(body) ? (body["details"] ?? body["detail"]) : null;
  return (Array.isArray(issues) ? issues : []).flatMap((issue) => {
    const place: unknown = isFields(issue) ? (issue["loc"] ?? issue["field"]) : null;
    return Array.isArray(place) ? [place.map(String)] : typeof place === "string" ? [place.split(".")] : [];
  });
}
