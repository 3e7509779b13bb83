import { createPublicKey, verify } from 'node:crypto';
import { array, object, parseJson, string } from '@baton/config/values/json';
import { expect, test } from 'vitest';
import { recordings } from '../../testing/recordings.ts';
import { signedText } from './handshake.ts';

/** The handshakes of the recordings that a gateway accepted, with the text that was signed. */
const accepted = recordings('openclaw').flatMap(({ name, lines }) => {
  const recorded = lines.map((line) => object(parseJson(line)));
  const signed = recorded.flatMap(({ signed: text }) => string(text) ?? []);
  const params = recorded
    .map(({ frame }) => object(frame))
    .flatMap(({ method, params: sent }) => (method === 'connect' ? [object(sent)] : []));
  const isAccepted = lines.some((line) => line.includes('"hello-ok"'));
  const [text = '', connect = {}] = [signed[0], params[0]];
  return isAccepted && text.startsWith('v3|') ? [[name, text, connect] as const] : [];
});

test.each(accepted)('%s: signs the text that the gateway accepted', (_, text, params) => {
  const { device, auth, client, scopes } = params;
  const { id, publicKey, signature, signedAt, nonce } = object(device);
  const { token, deviceToken } = object(auth);
  const made = signedText({
    challenge: { nonce: String(nonce), ts: Number(signedAt) },
    device: {
      id: String(id),
      publicKey: String(publicKey),
      privateKeyPem: '',
      platform: String(object(client).platform),
    },
    auth: {
      ...(token === undefined ? {} : { token: String(token) }),
      ...(deviceToken === undefined ? {} : { deviceToken: String(deviceToken) }),
    },
    scopes: array(scopes).map(String),
  });
  const { id: clientId, mode } = object(client);
  expect(made.replace('|cli|cli|', `|${clientId}|${mode}|`)).toBe(text);
  const prefix = Buffer.from('302a300506032b6570032100', 'hex');
  const der = Buffer.concat([prefix, Buffer.from(String(publicKey), 'base64url')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const bytes = Buffer.from(String(signature), 'base64url');
  expect(verify(null, Buffer.from(text), key, bytes)).toBe(true);
});

test('there are such handshakes', () => {
  expect(accepted.length).toBeGreaterThan(10);
});
