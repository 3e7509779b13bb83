const PATIENCE_MS = 5000;

/** The state of a URL; `other` is not a daemon, `untrusted` has a certificate that is not trusted. */
export type Health = 'ok' | 'other' | 'untrusted' | 'silent';

/** Whether a daemon answers at an address, and what is wrong if not. */
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

/** Whether a daemon answers at an address. */
export async function isAnswering(url: string): Promise<boolean> {
  return (await healthOf(url)) === 'ok';
}

/** `fetch` hides why a connection failed in the error's cause, with one of OpenSSL's many names. */
function isCertificateTrouble(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /CERT|VERIFY|ISSUER/.test(code);
}
