const HIDDEN = '***';

/** A value under a name like these is a secret. */
const SECRET_NAMES =
  /^(authorization|cookie|set-cookie|password|secret|sealed|value|token|env|headers|auth)$|(_|-|[a-z])(password|secret|token|apikey|api_key|key)$/i;
/** Names that only look like it. */
const HARMLESS_NAMES = /^(entry_key|tokenId|token_id)$/;

/** Tokens of ours, those of executors, keys of providers, and what follows the word Bearer. */
const SECRET_TEXTS =
  /\b(?:baton_[\w-]{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]+|sk-[\w-]{12,})|(?<=\bBearer )[^\s"']+|(?<=#link=)[^\s"']+|(?<=:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/gi;

/** Shorter ones would hide ordinary words. */
const SHORTEST = 8;
const MOST_KNOWN = 10_000;
const DEEPEST = 8;

const known = new Set<string>();

/** Remembers a secret by its value, so that no log shows it, wherever it comes from. */
export function noteSecret(secret: string): void {
  if (secret.length < SHORTEST) return;
  // In JSON a quote in a secret looks different.
  for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
    known.delete(form);
    known.add(form);
  }
  for (const oldest of known) {
    if (known.size <= MOST_KNOWN) return;
    known.delete(oldest);
  }
}

/** Hides secrets in a text: those that are known by value, and whatever has the form of one. */
export function redactText(text: string): string {
  let safe = text.replace(SECRET_TEXTS, HIDDEN);
  for (const secret of known) {
    if (safe.includes(secret)) safe = safe.replaceAll(secret, HIDDEN);
  }
  return safe;
}

/** A copy of a value without secrets: by their field names, and by their format. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '…';
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  if (value instanceof Error) return redact(plainError(value), depth + 1);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isSecretName(name) ? HIDDEN : redact(each, depth + 1),
    ]),
  );
}

function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name) && !HARMLESS_NAMES.test(name);
}

function plainError(error: Error): object {
  const { name, message, stack, cause } = error;
  return { ...error, type: name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
