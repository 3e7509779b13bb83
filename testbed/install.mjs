import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const testbed = new URL('./', import.meta.url);
/** The oldest releases that Baton supports. */
export const oldestAgents = new URL('oldest/', testbed);
/** The OpenClaw gateway. */
export const openClawFolder = new URL('openclaw/', testbed);
const tries = 3;
const heartbeatMs = 1000;
const staleMs = 10_000;

/**
 * Installs the agents of a folder, unless this very lockfile is installed already. Tests call it
 * for the pinned agents; it does nothing when BATON_AGENT_MODULES names others.
 */
export async function installAgents(folder = testbed) {
  if (folder === testbed && process.env.BATON_AGENT_MODULES) return;
  const stamp = await wantedStamp(folder);
  if (await isInstalled(folder, stamp)) return;
  const release = await lock(new URL('.cache/install-lock/', folder));
  try {
    if (await isInstalled(folder, stamp)) return;
    await installWithRetries(folder);
    await writeFile(stampFile(folder), stamp);
  } finally {
    await release();
  }
}

async function wantedStamp(folder) {
  const lockfile = await readFile(new URL('package-lock.json', folder));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  return `${process.platform}-${process.arch}-${hash}`;
}

async function isInstalled(folder, stamp) {
  return (await readFile(stampFile(folder), 'utf8').catch(() => '')) === stamp;
}

function stampFile(folder) {
  return new URL('node_modules/.baton-stamp', folder);
}

async function installWithRetries(folder) {
  for (let attempt = 1; ; attempt += 1) {
    console.log(`Installing the agents of ${fileURLToPath(folder)} (try ${attempt} of ${tries}) …`);
    const code = await runNpm(folder);
    if (code === 0) return;
    if (attempt === tries)
      throw new Error(`npm install failed ${tries} times, last with code ${code}`);
    await sleep(2000 * 3 ** (attempt - 1));
  }
}

function runNpm(folder) {
  return new Promise((resolve, reject) => {
    // Not `npm ci`: it insists on the agents' packages for other systems, which not every registry has.
    const npm = spawn('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
      cwd: fileURLToPath(folder),
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
async function lock(lockFolder) {
  await mkdir(new URL('..', lockFolder), { recursive: true });
  let told = false;
  while (!(await tryLock(lockFolder))) {
    if (!told) console.log('Waiting for another installation of the agents …');
    told = true;
    await sleep(heartbeatMs);
    await removeStaleLock(lockFolder);
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

async function tryLock(lockFolder) {
  try {
    await mkdir(lockFolder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStaleLock(lockFolder) {
  const { mtimeMs } = await stat(lockFolder).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > staleMs) await rm(lockFolder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await installAgents();
  console.log('The pinned agents are installed.');
}
