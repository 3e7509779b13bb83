import { readFileSync } from 'node:fs';
import type { Baton } from '@baton/agents/registry/baton';
import { type Daemon, DEFAULT_PORT, isLoopback, startDaemon, type Tls } from '@baton/daemon';
import { sweepOrphans } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { outageOf } from '@baton/store';
import { addressesForOthers } from '../../arguments/addresses.ts';
import { type Command, isSet, type Parsed, textOf } from '../../arguments/command.ts';
import { daemonFolder, readDaemonFile, writeDaemonFile } from '../../remote/daemon-file.ts';
import { pageFolder } from '../../remote/page-folder.ts';
import { workspaceHelper } from '../../workspace-helper.ts';
import { untilStopped } from './until-stopped.ts';

const MAX_PORT = 65_535;
const MAX_LEASE_SECONDS = 3600;
const CLEAR_TEXT =
  'warning: TLS is off. Prompts, tokens and sign-in links are sent in plain text.\n';

export const serve: Command = {
  name: 'serve',
  summary:
    'Start the daemon and web UI. Sessions survive closed terminals, crashes and network failures.',
  usage: 'baton serve [options]',
  optionsOnly: true,
  options: {
    port: {
      type: 'string',
      value: 'PORT',
      about: 'port to listen on (3030, or the next free one; 0 for any)',
    },
    host: { type: 'string', value: 'HOST', about: 'address to bind to (127.0.0.1)' },
    'tls-cert': {
      type: 'string',
      value: 'FILE',
      about: 'TLS certificate (PEM file)',
      choices: 'files',
    },
    'tls-key': {
      type: 'string',
      value: 'FILE',
      about: 'TLS private key (PEM file)',
      choices: 'files',
    },
    'public-url': {
      type: 'string',
      value: 'URL',
      about: 'public URL, if behind a proxy',
    },
    'trust-proxy': {
      type: 'string',
      value: 'ADDRESSES',
      about:
        'proxies to trust for X-Forwarded-For, comma-separated: addresses, networks or loopback',
    },
    insecure: { type: 'boolean', about: 'allow non-loopback addresses without TLS' },
    verbose: { type: 'boolean', short: 'v', about: 'verbose logging to stderr' },
    slots: { type: 'string', value: 'N', about: 'maximum number of concurrent tasks (4)' },
    lease: {
      type: 'string',
      value: 'SECONDS',
      about: 'executor lease timeout in seconds (30)',
    },
    'executor-url': {
      type: 'string',
      value: 'URL',
      about: 'URL executors use to reach the daemon, if different',
    },
    'stop-tasks': {
      type: 'boolean',
      about: 'stop running tasks when the daemon stops (they continue without it by default)',
    },
    'detach-executors': {
      type: 'boolean',
      about: 'keep tasks running when the daemon stops; the default, accepted for older scripts',
    },
    new: {
      type: 'boolean',
      about: 'begin with an empty database if the one in the folder is missing',
    },
    migrate: {
      type: 'boolean',
      about: 'upgrade a PostgreSQL database although other daemons use it',
    },
    folder: {
      type: 'string',
      value: 'FOLDER',
      about: 'data folder (~/.baton/daemon)',
      choices: 'files',
    },
  },
  notes: [
    'DATABASE_URL=postgres://… stores sessions in PostgreSQL, which several daemons can share.',
    'BATON_MASTER_KEY is the encryption key for stored secrets; it replaces the file master.key.',
    'Ctrl-C stops the daemon. Its tasks continue, and the next start takes them over; Ctrl-C twice stops them too.',
  ],
  run: (parsed, baton) =>
    runDaemon(parsed, baton).catch((error) => {
      throw outageOf(error) ?? error;
    }),
};

async function runDaemon(parsed: Parsed, baton: Baton): Promise<number> {
  const host = textOf(parsed, 'host') ?? '127.0.0.1';
  const tls = tlsOf(parsed);
  if (!isLoopback(host) && !tls && !isSet(parsed, 'insecure')) {
    throw new BatonError('usage', `Refusing to listen on ${host} without TLS.`, {
      hint: 'Pass --tls-cert and --tls-key, put a TLS proxy in front of the daemon, or pass --insecure.',
    });
  }
  const publicUrl = publicUrlOf(parsed);
  const folder = daemonFolder(parsed);
  const port = numberOf(parsed, 'port', 0, MAX_PORT);
  const [script = ''] = process.argv.slice(1);
  const leaseSeconds = numberOf(parsed, 'lease', 1, MAX_LEASE_SECONDS);
  const daemon = await startDaemon({
    folder,
    baton,
    databaseUrl: process.env.DATABASE_URL || undefined,
    host,
    tls,
    publicUrl,
    trustProxy: textOf(parsed, 'trust-proxy')
      ?.split(',')
      .map((address) => address.trim()),
    logLevel: isSet(parsed, 'verbose') ? 'info' : 'warn',
    port,
    isNew: isSet(parsed, 'new'),
    mayMigrate: isSet(parsed, 'migrate'),
    onUpgrade: (line) => process.stderr.write(`${line}\n`),
    workspaceHelper: workspaceHelper(),
    executors: {
      command: { file: process.execPath, args: [script, 'executor'] },
      slots: numberOf(parsed, 'slots', 0, 1000),
      url: textOf(parsed, 'executor-url'),
    },
    pageFolder: pageFolder(),
    leaseMs: leaseSeconds === undefined ? undefined : 1000 * leaseSeconds,
  }).catch((error) => {
    throw alreadyRunning(folder, error) ?? error;
  });
  let removeFile = () => {};
  let stopsTasks = false;
  try {
    removeFile = writeDaemonFile(folder, daemon.url);
    if (port === undefined) tellOtherPort(daemon.url);
    if (!isLoopback(host) && !tls) process.stderr.write(CLEAR_TEXT);
    for (const { message } of baton.problems) process.stderr.write(`warning: ${message}\n`);
    for (const warning of daemon.warnings) process.stderr.write(`warning: ${warning}\n`);
    if (!isLoopback(host) && !publicUrl) tellAddresses(host, daemon.url);
    // Installed before the daemon reports that it is ready, because it may be stopped right after.
    const ending = untilStopped(() => daemon.countTasks(), isSet(parsed, 'stop-tasks'));
    process.stdout.write(readyLine(daemon));
    void tellOrphans();
    stopsTasks = await ending;
  } finally {
    // Before the folder is left to the next daemon, which writes its own.
    removeFile();
    await daemon.close({ detach: !stopsTasks });
    if (process.connected) process.disconnect();
  }
  return 0;
}

/** The one line that says where the daemon is; at the first start its address is the link that signs the owner in. */
function readyLine({ url, firstLink }: Daemon): string {
  return firstLink === undefined
    ? `Baton is ready at ${url}\n`
    : `Baton is ready at ${firstLink}\n`;
}

/** The daemon that has the folder, where it says its address: most people only want to open that. */
function alreadyRunning(folder: string, error: unknown): BatonError | undefined {
  if (!BatonError.is(error) || error.code !== 'conflict') return undefined;
  const running = readDaemonFile(folder);
  if (!running) return undefined;
  const message = `Baton is already running at ${running.url} (process ${running.pid}).`;
  return new BatonError('conflict', message, {
    hint: 'Open that address. "baton login --link" prints a sign-in link, and --folder starts a second daemon with data of its own.',
    cause: error,
  });
}

/** Ends what a Baton that was killed left running, and says so. */
async function tellOrphans(): Promise<void> {
  const { killed } = await sweepOrphans();
  if (killed === 0) return;
  const processes = killed === 1 ? '1 process' : `${killed} processes`;
  process.stderr.write(`Stopped ${processes} left behind by a Baton process that was killed.\n`);
}

function tellOtherPort(url: string): void {
  const { port } = new URL(url);
  if (port === String(DEFAULT_PORT)) return;
  process.stderr.write(`Port ${DEFAULT_PORT} is in use; listening on port ${port}.\n`);
}

function tellAddresses(host: string, url: string): void {
  const addresses = addressesForOthers(host, url);
  if (addresses.length === 0) return;
  process.stderr.write(`Reachable on the network at ${addresses.join(' or ')}.\n`);
}

function tlsOf(parsed: Parsed): Tls | undefined {
  const [cert, key] = [textOf(parsed, 'tls-cert'), textOf(parsed, 'tls-key')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new BatonError('usage', 'TLS needs both --tls-cert and --tls-key.');
  }
  return { cert: readPem(cert), key: readPem(key) };
}

function publicUrlOf(parsed: Parsed): string | undefined {
  const text = textOf(parsed, 'public-url');
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new BatonError('usage', `--public-url must be an http or https URL, not "${text}".`);
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BatonError('usage', `Cannot read the file: ${path}`, { cause });
  }
}

function numberOf(parsed: Parsed, name: string, least: number, most: number): number | undefined {
  const text = textOf(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BatonError(
    'usage',
    `--${name} must be a number from ${least} to ${most}, not "${text}".`,
  );
}
