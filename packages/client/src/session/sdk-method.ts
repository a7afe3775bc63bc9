/** A public method as the service's statistics know it: the official class name, and the method in snake_case. */
export type SdkMethod = `${"ServiceClient" | "TrainingClient" | "SamplingClient"}.${string}`;

/** Headers that say on whose behalf a request is made. */
export function methodHeaders(method: SdkMethod, sdkVersion: string): Readonly<Record<string, string>> {
  return { "x-sdk-method": method, "x-sdk-version": sdkVersion };
}
