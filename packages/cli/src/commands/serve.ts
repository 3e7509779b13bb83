import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Daemon, DEFAULT_PORT, isLoopback, startDaemon, type Tls } from '@baton/daemon';
import { BatonError } from '@baton/protocol';
import { sweepOrphans } from '@baton/runtime';
import { outageOf } from '@baton/store';
import { addressesForOthers } from '../addresses.ts';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { daemonFolder, writeDaemonFile } from '../remote/daemon-file.ts';
import { pageFolder } from '../remote/page-folder.ts';

const MAX_PORT = 65_535;
const MAX_LEASE_SECONDS = 3600;
const CLEAR_TEXT =
  'warning: Nothing is encrypted. Whoever is on the way can read prompts, answers, links and tokens, and use them.\n';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve sessions that survive anything: a closed terminal, a crash, a lost network.',
  usage: 'baton serve [options]',
  optionsOnly: true,
  options: {
    port: {
      type: 'string',
      value: 'PORT',
      about: 'where to listen (3030, or the next free one; 0 for any)',
    },
    host: { type: 'string', value: 'HOST', about: 'whom to listen to (127.0.0.1)' },
    'tls-cert': {
      type: 'string',
      value: 'FILE',
      about: 'the certificate to encrypt with, as PEM',
      choices: 'files',
    },
    'tls-key': { type: 'string', value: 'FILE', about: 'the key of it', choices: 'files' },
    'public-url': {
      type: 'string',
      value: 'URL',
      about: 'the address that people use, when a proxy is in front of it',
    },
    'trust-proxy': {
      type: 'string',
      value: 'ADDRESSES',
      about: 'proxies whose X-Forwarded-For counts, with commas: addresses, networks or loopback',
    },
    insecure: { type: 'boolean', about: 'listen to others although nothing is encrypted' },
    verbose: { type: 'boolean', short: 'v', about: 'tell more than problems on standard error' },
    slots: { type: 'string', value: 'N', about: 'how many tasks run here at the same time (4)' },
    lease: {
      type: 'string',
      value: 'SECONDS',
      about: 'how long an executor may be silent before its task counts as lost (30)',
    },
    'executor-url': {
      type: 'string',
      value: 'URL',
      about: 'where executors reach it, when that is not its own address',
    },
    'detach-executors': {
      type: 'boolean',
      about: 'let the tasks run on when it is stopped; the next start takes them over',
    },
    folder: {
      type: 'string',
      value: 'FOLDER',
      about: 'where everything is kept (~/.baton/daemon)',
      choices: 'files',
    },
  },
  notes: [
    'DATABASE_URL=postgres://… keeps sessions in PostgreSQL, where several daemons may share them.',
    'BATON_MASTER_KEY is the key for secrets at rest, in place of the file master.key in the folder.',
    'Ctrl-C stops it, and the tasks that it runs.',
  ],
  run: (parsed) =>
    runDaemon(parsed).catch((error) => {
      throw outageOf(error) ?? error;
    }),
};

async function runDaemon(parsed: Parsed): Promise<number> {
  const host = textOf(parsed, 'host') ?? '127.0.0.1';
  const tls = tlsOf(parsed);
  if (!isLoopback(host) && !tls && !isSet(parsed, 'insecure')) {
    throw new BatonError('usage', `Others could read everything on the way to ${host}.`, {
      hint: 'Give --tls-cert and --tls-key, put a proxy with TLS in front of it, or say --insecure.',
    });
  }
  const publicUrl = publicUrlOf(parsed);
  const folder = daemonFolder(parsed);
  const port = numberOf(parsed, 'port', 0, MAX_PORT);
  const [script = ''] = process.argv.slice(1);
  const leaseSeconds = numberOf(parsed, 'lease', 1, MAX_LEASE_SECONDS);
  const daemon = await startDaemon({
    folder,
    databaseUrl: process.env.DATABASE_URL || undefined,
    host,
    tls,
    publicUrl,
    trustProxy: textOf(parsed, 'trust-proxy')
      ?.split(',')
      .map((address) => address.trim()),
    logLevel: isSet(parsed, 'verbose') ? 'info' : 'warn',
    port,
    executors: {
      command: { file: process.execPath, args: [script, 'executor'] },
      slots: numberOf(parsed, 'slots', 0, 1000),
      url: textOf(parsed, 'executor-url'),
    },
    pageFolder: pageFolder(),
    leaseMs: leaseSeconds === undefined ? undefined : 1000 * leaseSeconds,
  });
  let removeFile = () => {};
  // Only who is told to stop stops what runs: after anything else the next start goes on with it.
  let detach = true;
  try {
    removeFile = writeDaemonFile(folder, daemon.url);
    if (port === undefined) tellOtherPort(daemon.url);
    if (!isLoopback(host) && !tls) process.stderr.write(CLEAR_TEXT);
    for (const warning of daemon.warnings) process.stderr.write(`warning: ${warning}\n`);
    if (!isLoopback(host) && !publicUrl) tellAddresses(host, daemon.url);
    // Heard from before it is said that it is ready: whoever reads that may stop it at once.
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal));
    process.stdout.write(readyLine(daemon));
    void tellOrphans();
    const isTold = await Promise.race([
      ...signals.map((each) => each.then(() => true)),
      abandoned(),
    ]);
    process.stderr.write('Stopping.\n');
    detach = !isTold || isSet(parsed, 'detach-executors');
  } finally {
    // Before the folder is left to the next daemon, which writes its own.
    removeFile();
    await daemon.close({ detach });
    if (process.connected) process.disconnect();
  }
  return 0;
}

/** Settles when the program that started this one, and keeps a channel to it, is gone without a word. */
function abandoned(): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>();
  if (process.channel) process.once('disconnect', () => resolve(false));
  return promise;
}

/** The one line that says where the daemon is; at the first start it lets the owner in. */
function readyLine({ url, firstLink }: Daemon): string {
  return firstLink === undefined
    ? `Baton is ready at ${url}\n`
    : `Baton is ready at ${firstLink} (the link logs you in, once)\n`;
}

/** Ends what a Baton that was killed left running, and says so. */
async function tellOrphans(): Promise<void> {
  const { killed } = await sweepOrphans();
  if (killed === 0) return;
  const processes = killed === 1 ? 'one process' : `${killed} processes`;
  process.stderr.write(`Ended ${processes} left behind by a Baton that was killed.\n`);
}

function tellOtherPort(url: string): void {
  const { port } = new URL(url);
  if (port === String(DEFAULT_PORT)) return;
  process.stderr.write(`Port ${DEFAULT_PORT} is taken, so this is port ${port}.\n`);
}

function tellAddresses(host: string, url: string): void {
  const addresses = addressesForOthers(host, url);
  if (addresses.length === 0) return;
  process.stderr.write(`Others reach it at ${addresses.join(' or ')}.\n`);
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
  throw new BatonError('usage', `--public-url is an http or https address, not "${text}".`);
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BatonError('usage', `The file cannot be read: ${path}`, { cause });
  }
}

function numberOf(parsed: Parsed, name: string, least: number, most: number): number | undefined {
  const text = textOf(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BatonError('usage', `--${name} is a number from ${least} to ${most}, not "${text}".`);
}
