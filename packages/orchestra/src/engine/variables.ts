const VARIABLE = /\$\$\{|\$\{(\w+)(?::-([^}]*))?\}/g;

export function withVariables(
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replaceAll(VARIABLE, (all, name?: string, fallback?: string) =>
        name === undefined ? all.slice(1) : (env[name] ?? fallback ?? ''),
      ),
    ]),
  );
}
