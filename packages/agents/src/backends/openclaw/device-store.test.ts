import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeviceStore } from './device-store.ts';

const URL = 'ws://127.0.0.1:18789/';
let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'openclaw-store-'));
  folder = join(home, '.baton/openclaw');
});
afterEach(() => rmSync(home, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('the identity is created once and kept', () => {
  const identity = new DeviceStore(home).identity();
  expect(identity.id).toMatch(/^[\da-f]{64}$/);
  expect(Buffer.from(identity.publicKey, 'base64url')).toHaveLength(32);
  expect(new DeviceStore(home).identity()).toEqual(identity);
});

test('everything is private, and nothing is written to the folder of OpenClaw', () => {
  const store = new DeviceStore(home);
  store.identity();
  store.keepToken(URL, { token: 'secret', scopes: [] });
  expect(modeOf(folder)).toBe(0o700);
  const files = readdirSync(folder);
  expect(files).toHaveLength(2);
  for (const name of files) expect(modeOf(join(folder, name))).toBe(0o600);
  expect(readdirSync(home)).toEqual(['.baton']);
});

test('rights that others have got are taken away', () => {
  const store = new DeviceStore(home);
  store.identity();
  chmodSync(join(folder, 'device.json'), 0o644);
  store.identity();
  expect(modeOf(join(folder, 'device.json'))).toBe(0o600);
});

test('the platform stays as the device was paired', () => {
  const store = new DeviceStore(home);
  store.identity();
  const path = join(folder, 'device.json');
  const kept = { ...JSON.parse(readFileSync(path, 'utf8')), platform: 'plan9' };
  writeFileSync(path, JSON.stringify(kept));
  expect(store.identity().platform).toBe('plan9');
});

test('a broken identity is reported and left alone', () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'device.json'), '{"privateKeyPem":"none"}');
  expect(() => new DeviceStore(home).identity()).toThrow(/does not contain a device identity/);
  expect(readFileSync(join(folder, 'device.json'), 'utf8')).toContain('none');
});

test('tokens are kept for each gateway, and only the rejected one is forgotten', () => {
  const store = new DeviceStore(home);
  store.keepToken(URL, { token: 'a', scopes: ['operator.read'] });
  store.keepToken('wss://other.test/', { token: 'b', scopes: [] });
  store.forgetToken(URL, 'another');
  expect(store.token(URL)).toEqual({ token: 'a', scopes: ['operator.read'] });
  store.forgetToken(URL, 'a');
  expect(store.token(URL)).toBeUndefined();
  expect(store.token('wss://other.test/')?.token).toBe('b');
});

test('a folder that cannot be written is reported with its path', () => {
  writeFileSync(join(home, '.baton'), 'a file');
  expect(() => new DeviceStore(home).identity()).toThrow(/Cannot (?:write|read) .*device\.json/);
});
