import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SETTINGS } from '@baton/config/settings';
import { BatonError } from '@baton/protocol/values';

const { daemonToken, gatewayWebhookSecret, gatewayPressSecret, discordToken } = SETTINGS;
/** The variables of secrets that no agent needs. */
const SECRET_VARIABLES: readonly string[] = [
  ...[daemonToken, gatewayWebhookSecret, gatewayPressSecret].map(({ variable }) => variable),
  ...[discordToken.variable, discordToken.sharedVariable].filter((name) => name !== undefined),
];
/** Names the file through which a process hands its secrets to the program that replaces it. */
const HAND_OVER = 'BATON_SECRET_HAND_OVER';
/** Variable with the folder of systemd's credentials, set by `LoadCredential=`. */
const CREDENTIALS = 'CREDENTIALS_DIRECTORY';

/**
 * Takes secrets from files into the environment of this process, where settings are read: from the file that NAME_FILE
 * names, or from a credential of systemd called NAME. A variable that is set wins.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv = process.env): void {
  takeHandOver(env);
  for (const name of SECRET_VARIABLES) {
    if (env[name]) continue;
    const secret = fileSecret(name, env);
    if (secret !== undefined) env[name] = secret;
  }
}

/**
 * Restarts this program without secrets in its environment, if it has any: other processes of the same user can read
 * the environment that a process was started with in `/proc`, whatever the process does to its variables. Call it
 * before `readSecretFiles`; it does not return if it restarts.
 */
export function dropSecretVariables(): void {
  const given = SECRET_VARIABLES.filter((name) => process.env[name]);
  if (given.length === 0 || process.platform !== 'linux' || !process.execve) return;
  const folder = mkdtempSync(join(tmpdir(), 'baton-secrets-'));
  const file = join(folder, 'secrets.json');
  const secrets = Object.fromEntries(given.map((name) => [name, process.env[name]]));
  writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
  const kept = Object.entries(process.env).filter(([name]) => !given.includes(name));
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...Object.fromEntries(kept), [HAND_OVER]: file });
}

/** Keeps secrets, and where they are, from agents and hooks, which inherit the environment. */
export function hideSecrets(env: NodeJS.ProcessEnv = process.env): void {
  delete env[CREDENTIALS];
  for (const name of SECRET_VARIABLES) {
    delete env[name];
    delete env[`${name}_FILE`];
  }
}

function takeHandOver(env: NodeJS.ProcessEnv): void {
  const file = env[HAND_OVER];
  if (file === undefined) return;
  delete env[HAND_OVER];
  try {
    Object.assign(env, JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

function fileSecret(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = env[`${name}_FILE`];
  const folder = env[CREDENTIALS];
  if (file) return textIn(file, `${name}_FILE`);
  if (!folder) return undefined;
  try {
    return readFileSync(join(folder, name), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function textIn(file: string, variable: string): string {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret !== '') return secret;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('config_invalid', `${variable}: cannot read the secret: ${why}`, {
      cause,
    });
  }
  throw new BatonError('config_invalid', `${variable}: the file ${file} is empty.`);
}
