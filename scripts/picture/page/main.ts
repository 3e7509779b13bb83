import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { chromium } from 'playwright-core';
import { ensurePage } from '../../build/build-page.ts';
import { ensureChromium } from '../../find-chromium.ts';
import { addSlots, backdate, backdateChain, type Times } from './backdate.ts';
import { CHAIN_TIMES, CHAINS, chainScenes } from './chain-scene.ts';
import { Hand } from './hand.ts';
import { reviewedSession } from './review-scene.ts';
import { mainScene, otherScenes } from './scenes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VERSIONS = { claude: '2.1.325', codex: 'codex-cli 0.166.0' };
const PICTURES = join(ROOT, 'docs/pictures');

/** Takes the pictures of the page that README and docs show, with agents that are played by hand. */
await ensurePage();
const home = mkdtempSync(join(tmpdir(), 'baton-picture-'));
const AGENTS = agentsIn(home);
const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
try {
  await withDaemon(0, takePictures);
  await withDaemon(1, takeReview);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}

/** Runs a daemon with a number of slots for a while; without slots, its tasks are played by hand. */
async function withDaemon(
  slots: number,
  act: (url: string, token: string) => Promise<void>,
): Promise<void> {
  const main = join(ROOT, 'packages/cli/src/main.ts');
  const folder = join(home, `daemon-${slots}`);
  const daemon = spawn(
    process.execPath,
    [main, 'serve', '--port', '0', '--slots', `${slots}`, '--folder', folder, '--stop-tasks'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...AGENTS, HOME: home } },
  );
  try {
    const [line] = (await once(createInterface({ input: daemon.stdout }), 'line')) as [string];
    const [url = '', secret = ''] = /http\S+/.exec(line)?.[0].split('/#link=') ?? [];
    await act(url, await tokenFor(url, secret));
  } finally {
    const gone = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await gone;
  }
}

async function takePictures(url: string, token: string): Promise<void> {
  const [shop = '', site = '', api = ''] = ['shop', 'website', 'api'].map(
    (name) => `/home/you/${name}`,
  );
  const hand = new Hand(url, token);
  const times = new Map<string, Times>();
  for (const scene of otherScenes(shop, site, api)) times.set(await hand.play(scene), scene.times);
  const main = mainScene(shop);
  const session = await hand.play(main);
  times.set(session, main.times);
  const database = join(home, 'daemon-0/baton.db');
  addSlots(database, 4);
  backdate(database, times);
  const take = takerOf(url, token);
  await take('page-session', `/sessions/${session}`);
  await hand.queue(session, 'Then check all links in the help pages');
  backdate(database, times);
  await take('page-board', '/board');
  await take('page-inbox', '/inbox', 'dark');
  await take('page-chain', `/chains/runs/${await playChain(hand, shop, database)}`);
  hand.close();
}

/** Takes the picture of a change that is being reviewed, in a real worktree. */
async function takeReview(url: string, token: string): Promise<void> {
  const client = new BatonClient({ url, token });
  const session = await reviewedSession(client, join(home, 'shop'));
  await takerOf(url, token)('page-review', `/sessions/${session}/changes`);
  client.close();
}

/** Returns a function that takes a picture of a view. */
function takerOf(url: string, token: string) {
  return async (name: string, path: string, colorScheme: 'light' | 'dark' = 'light') => {
    const viewport = { width: 1360, height: 860 };
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    await context.addInitScript((kept) => localStorage.setItem('baton.token', kept), token);
    const page = await context.newPage();
    await page.goto(`${url}/app${path}`, { waitUntil: 'networkidle' });
    await page.waitForTimeout(800);
    await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
    // Buttons that have just appeared look disabled.
    await page.locator('[data-guarded] [aria-disabled]').first().waitFor({ state: 'detached' });
    for (const path of await page.getByText(home).all()) {
      const text = (await path.textContent()) ?? '';
      const shown = text.replaceAll(home, '/home/you');
      await path.evaluate(
        (element, words) => Object.assign(element, { textContent: words }),
        shown,
      );
    }
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await context.close();
    console.log(`took docs/pictures/${name}.png`);
  };
}

/** A chain that is in the middle of its work. */
async function playChain(hand: Hand, cwd: string, database: string): Promise<string> {
  const file = join(home, 'chains.json');
  writeFileSync(file, JSON.stringify(CHAINS));
  const inputs = { task: 'Customers can pay with gift cards' };
  const run = await hand.startChain({ file, chain: 'feature', cwd, inputs });
  for (const [step, said] of chainScenes()) await hand.playStep(`feature: ${step}`, said);
  await hand.untilStepEnds(run, 'build/docs');
  backdateChain(database, run, CHAIN_TIMES);
  return run;
}

/** Programs in the place of the agents, so that the pictures show them as found; the tasks are played by hand. */
function agentsIn(folder: string): Record<string, string> {
  const place = join(folder, 'bin');
  mkdirSync(place);
  for (const [name, version] of Object.entries(VERSIONS)) {
    writeFileSync(join(place, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  }
  const keys = { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' };
  return { ...keys, PATH: `${place}:${process.env.PATH}` };
}

async function tokenFor(url: string, secret: string): Promise<string> {
  const stranger = new BatonClient({ url });
  const { accessToken } = await stranger.authentication.withLink(secret);
  stranger.close();
  return accessToken;
}
