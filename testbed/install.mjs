import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('./', import.meta.url);
const stampFile = new URL('node_modules/.baton-stamp', root);
const lockFolder = new URL('.cache/install-lock/', root);
const tries = 3;
const heartbeatMs = 1000;
const staleMs = 10_000;

/** Installs the pinned agents, unless this very lockfile is installed already. */
export async function installAgents() {
  const stamp = await wantedStamp();
  if (await isInstalled(stamp)) return;
  const release = await lock();
  try {
    if (await isInstalled(stamp)) return;
    await installWithRetries();
    await writeFile(stampFile, stamp);
  } finally {
    await release();
  }
}

async function wantedStamp() {
  const lockfile = await readFile(new URL('package-lock.json', root));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  return `${process.platform}-${process.arch}-${hash}`;
}

async function isInstalled(stamp) {
  return (await readFile(stampFile, 'utf8').catch(() => '')) === stamp;
}

async function installWithRetries() {
  for (let attempt = 1; ; attempt += 1) {
    console.log(`Installing the pinned agents (try ${attempt} of ${tries}) …`);
    const code = await runNpm();
    if (code === 0) return;
    if (attempt === tries) throw new Error(`npm ci failed ${tries} times, last with code ${code}`);
    await sleep(2000 * 3 ** (attempt - 1));
  }
}

function runNpm() {
  return new Promise((resolve, reject) => {
    const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: fileURLToPath(root),
      stdio: ['ignore', 'inherit', 'inherit'],
      // On Windows npm is a script that only a shell can start.
      shell: process.platform === 'win32',
    });
    npm.once('error', reject);
    npm.once('close', resolve);
  });
}

// A folder is the lock because creating one is atomic everywhere. Its owner keeps it fresh, so
// that the lock of a process that was killed is recognised by its age.
async function lock() {
  await mkdir(new URL('..', lockFolder), { recursive: true });
  let told = false;
  while (!(await tryLock())) {
    if (!told) console.log('Waiting for another installation of the agents …');
    told = true;
    await sleep(heartbeatMs);
    await removeStaleLock();
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(lockFolder, now, now).catch(() => {});
  }, heartbeatMs);
  return async () => {
    clearInterval(heartbeat);
    await rm(lockFolder, { recursive: true, force: true });
  };
}

async function tryLock() {
  try {
    await mkdir(lockFolder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStaleLock() {
  const { mtimeMs } = await stat(lockFolder).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > staleMs) await rm(lockFolder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await installAgents();
  console.log('The pinned agents are installed.');
}
