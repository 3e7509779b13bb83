import { expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

test.each([
  [['--host', '0.0.0.0'], 'Others could read everything on the way to 0.0.0.0.'],
  [['--tls-cert', 'cert.pem'], 'TLS needs both --tls-cert and --tls-key.'],
  [['--tls-cert', '/no/cert', '--tls-key', '/no/key'], 'The file cannot be read: /no/cert'],
])('what makes no sense is refused before anything starts: %j', async (args, words) => {
  const { code, stderr } = await new CliWorld().call({ args: ['serve', ...args] });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});
