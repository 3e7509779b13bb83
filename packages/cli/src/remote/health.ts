const PATIENCE_MS = 5000;

/** Whether a daemon answers at an address; `other` when something does that is none. */
export async function healthOf(url: string): Promise<'ok' | 'other' | 'silent'> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${url}/healthz`, { signal, redirect: 'error' });
    const body = (await response.json().catch(() => undefined)) as { status?: unknown } | undefined;
    return response.ok && body?.status === 'ok' ? 'ok' : 'other';
  } catch {
    return 'silent';
  }
}

/** Whether a daemon answers at an address. */
export async function isAnswering(url: string): Promise<boolean> {
  return (await healthOf(url)) === 'ok';
}
