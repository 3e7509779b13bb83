import type { Page } from 'playwright-core';

/** Loads a page anew and holds back what it asks in some words; gives the way to have that answered. */
export async function holdBack(page: Page, words: string): Promise<() => Promise<void>> {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const daemon = socket.connectToServer();
    let id: string | undefined;
    socket.onMessage(async (message) => {
      const asked = String(message).includes(words) ? /^42(\d+)/.exec(String(message)) : null;
      id ??= asked?.[1];
      if (asked) await allowed;
      daemon.send(message);
    });
    daemon.onMessage((message) => {
      socket.send(message);
      if (id !== undefined && String(message).startsWith(`43${id}[`)) answer();
    });
  });
  await page.reload();
  return async () => {
    allow();
    await answered;
    await page.evaluate(
      () => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))),
    );
  };
}
