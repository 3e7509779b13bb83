const PATIENCE_MS = 5000;

/** The state of a URL; `other` is not a daemon, `untrusted` has a certificate that is not trusted. */
export type Health = 'ok' | 'other' | 'untrusted' | 'silent';

/** Checks that a daemon responds at a URL; returns the kind of problem if not. */
export async function healthOf(url: string): Promise<Health> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${url}/healthz`, { signal, redirect: 'error' });
    const body = (await response.json().catch(() => undefined)) as { status?: unknown } | undefined;
    return response.ok && body?.status === 'ok' ? 'ok' : 'other';
  } catch (error) {
    return isCertificateTrouble(error) ? 'untrusted' : 'silent';
  }
}

/** True if a daemon responds at a URL. */
export async function isAnswering(url: string): Promise<boolean> {
  return (await healthOf(url)) === 'ok';
}

/**
 * True if the certificate is not trusted. `fetch` reports it in the error's cause, under one of OpenSSL's many names.
 */
function isCertificateTrouble(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /CERT|VERIFY|ISSUER/.test(code);
}
