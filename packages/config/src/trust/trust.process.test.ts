import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '@baton/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoAdapter } from '../../../agents/src/backends/demo/backend.ts';
import { demoEntry } from '../../../agents/src/backends/demo/index.ts';
import { demoBackend } from '../../../agents/src/testing/built-in-backends.ts';
import { builtInBaton } from '../../../agents/src/testing/built-in-baton.ts';
import { defineBackend } from '../../../engine/src/run/define-backend.ts';
import { loadSettings } from '../settings/index.ts';
import { keepDecision, keptDecisions } from '../settings/keep-decision.ts';
import { settingsIn } from './folder-settings.ts';
import { decisionFor } from './trusted-folders.ts';

/** The agents that cannot be kept from the settings of a folder, and a folder that has some. */
const UNSTOPPABLE = [
  ['opencode', '.opencode'],
  ['droid', '.factory'],
  ['cursor-cli', '.cursor'],
  ['amp', '.amp'],
  ['acp:qwen', '.qwen'],
  ['acp:opencode', '.opencode'],
] as const;

let home: string;
let project: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'trust-')));
  project = join(home, 'work/project');
  mkdirSync(join(project, 'sub'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('a decision about a folder', () => {
  test('applies to everything in it, and the nearest one takes precedence', () => {
    const decisions = { trusted: [join(home, 'work')], untrusted: [project] };
    expect(decisionFor(join(home, 'work'), decisions)).toBe(true);
    expect(decisionFor(join(home, 'work/other'), decisions)).toBe(true);
    expect(decisionFor(project, decisions)).toBe(false);
    expect(decisionFor(join(project, 'sub'), decisions)).toBe(false);
    expect(decisionFor(home, decisions)).toBeUndefined();
  });

  test('about a relative folder counts for nothing', () => {
    const decisions = { trusted: ['.', 'project', ''], untrusted: [] };
    for (const folder of [process.cwd(), project, '.']) {
      expect(decisionFor(folder, decisions)).toBeUndefined();
    }
  });

  test('applies to every name of the folder, and to no other', () => {
    symlinkSync(project, join(home, 'link'));
    const decisions = { trusted: [project], untrusted: [] };
    expect(decisionFor(join(home, 'link/sub'), decisions)).toBe(true);
    expect(decisionFor(`${project}-two`, decisions)).toBeUndefined();
    symlinkSync(join(home, 'work'), join(project, 'out'));
    expect(decisionFor(join(project, 'out/other'), decisions)).toBeUndefined();
  });

  test('is about the folder that a link leads to now', () => {
    symlinkSync(project, join(home, 'link'));
    keepDecision(join(home, 'link'), true, home);
    expect(keptDecisions(home).trusted).toEqual([project]);
  });

  test('is stored apart from the configuration, changed and forgotten', () => {
    keepDecision(project, true, home);
    expect(keptDecisions(home)).toEqual({ trusted: [project], untrusted: [] });
    expect(existsSync(join(home, '.baton/config.json'))).toBe(false);
    keepDecision(project, false, home);
    expect(keptDecisions(home)).toEqual({ trusted: [], untrusted: [project] });
    keepDecision(project, undefined, home);
    expect(keptDecisions(home)).toEqual({ trusted: [], untrusted: [] });
  });

  test('replaces one of the configuration, which stays as it is', () => {
    const path = join(home, '.baton/config.json');
    const config = JSON.stringify({ trustedFolders: [project, '/other'], model: 'large' });
    mkdirSync(join(home, '.baton'));
    writeFileSync(path, config);
    const settings = () => loadSettings({ program: 'baton', cwd: project, home, env: {} });
    expect(keptDecisions(home)).toEqual({ trusted: [project, '/other'], untrusted: [] });
    keepDecision(project, false, home);
    expect(keptDecisions(home)).toEqual({ trusted: ['/other'], untrusted: [project] });
    expect(settings().get('trustedFolders')).toEqual(['/other']);
    expect(settings().get('untrustedFolders')).toEqual([project]);
    keepDecision(project, undefined, home);
    expect(keptDecisions(home)).toEqual({ trusted: ['/other'], untrusted: [] });
    keepDecision(project, true, home);
    expect(settings().get('trustedFolders')).toEqual(['/other', project]);
    expect(readFileSync(path, 'utf8')).toBe(config);
  });

  test('is not stored in an unreadable file, which is unchanged', () => {
    const path = join(home, '.baton/trust.json');
    mkdirSync(join(home, '.baton'));
    writeFileSync(path, '{ "trusted": ');
    expect(() => keepDecision(project, true, home)).toThrow(`Cannot read ${path}`);
    expect(readFileSync(path, 'utf8')).toBe('{ "trusted": ');
  });
});

describe('the settings in a folder', () => {
  test('are those in it and above it, but not those of the home folder', () => {
    for (const path of ['.agent', 'work/.agent', 'work/project/.agent']) {
      mkdirSync(join(home, path));
    }
    expect(settingsIn(join(project, 'sub'), ['.agent'], home)).toEqual([
      '../.agent',
      '../../.agent',
    ]);
    expect(settingsIn(home, ['.agent'], home)).toEqual([]);
  });

  test('are those around the real folder, when it is reached through a link', () => {
    mkdirSync(join(home, 'work/.agent'));
    symlinkSync(project, join(home, 'link'));
    expect(settingsIn(join(home, 'link'), ['.agent'], home)).toEqual(['../.agent']);
  });

  test('are used when the user trusts the folder, whatever the agent knows', () => {
    writeFileSync(join(project, '.baton-demo.json'), '{}');
    const trust = (trusted: string[], untrusted: string[] = []) =>
      demoBackend({ trust: { trusted, untrusted } }).trustOf({ cwd: project, env: { HOME: home } });
    const settings = ['.baton-demo.json'];
    expect(trust([])).toEqual({ folder: project, trusted: false, settings });
    expect(trust([project])).toEqual({
      folder: project,
      trusted: true,
      decidedBy: 'user',
      settings,
    });
    expect(trust([], [home])).toMatchObject({ trusted: false, decidedBy: 'user' });
  });

  test('start nothing when they came after the conversation was opened', async () => {
    const mark = join(home, 'started');
    const options = { cwd: project, env: { HOME: home }, providerOptions: { pace: 0 } };
    const conversation = await demoBackend().open(options);
    await conversation.run('demo:crash').collect();
    writeFileSync(join(project, '.baton-demo.json'), JSON.stringify({ onStart: `touch ${mark}` }));
    const events: AgentEvent[] = [];
    for await (const event of conversation.run('demo:fail')) events.push(event);
    await conversation.close();
    expect(existsSync(mark)).toBe(false);
    expect(events).toContainEqual(expect.objectContaining({ code: 'folder_untrusted' }));
  });

  test('keep an agent from starting again that would load them', async () => {
    const [driver] = demoAdapter.drivers;
    if (!driver) throw new Error('The demo agent has no driver.');
    const drivers = [{ ...driver, canWithholdSettings: false }];
    const backend = defineBackend({ ...demoEntry, ...demoAdapter, drivers })();
    const options = { cwd: project, env: { HOME: home }, providerOptions: { pace: 0 } };
    const conversation = await backend.open(options);
    await conversation.run('demo:crash').collect();
    writeFileSync(join(project, '.baton-demo.json'), '{}');
    const { error } = await conversation.run('demo:fail').collect();
    await conversation.close();
    expect(error).toMatchObject({ code: 'trust_required' });
    expect(() => backend.run({ ...options, prompt: 'demo:fail' })).toThrow(/nobody has trusted/);
  });

  test.each(UNSTOPPABLE)('refuse %s, which would load them', async (name, settings) => {
    const backend = await builtInBaton().loadBackend(name);
    const open = (trusted?: boolean) =>
      backend.open({ cwd: project, env: { HOME: home }, permissionMode: 'allow-all', trusted });
    const refused = expect.objectContaining({ code: 'trust_required' });
    mkdirSync(join(home, 'work', settings, 'empty'), { recursive: true });
    await expect(open()).resolves.toBeDefined();
    // Whatever it contains may be loaded, also in a folder above.
    writeFileSync(join(home, 'work', settings, 'empty/file'), '');
    await expect(open()).rejects.toThrow(refused);
    await expect(open(false)).rejects.toThrow(refused);
    await expect(open(true)).resolves.toBeDefined();
  });

  test.each(['droid', 'cursor-cli'])('keep the interface of %s from starting too', async (name) => {
    const backend = await builtInBaton().loadBackend(name);
    const [folder = ''] = backend.settingsPaths;
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, 'hooks.json'), '{}');
    const started = backend.interactive?.({
      cwd: project,
      env: { HOME: home },
      permissionMode: 'allow-all',
      trusted: false,
    });
    await expect(started).rejects.toThrow(expect.objectContaining({ code: 'trust_required' }));
  });

  test('start nothing in a run without trust, and do in one with it', async () => {
    const mark = join(home, 'started');
    writeFileSync(join(project, '.baton-demo.json'), JSON.stringify({ onStart: `touch ${mark}` }));
    const options = { cwd: project, env: { HOME: home }, providerOptions: { pace: 0 } };
    const run = (trusted: string[]) =>
      demoBackend({ trust: { trusted, untrusted: [] } })
        .run({ ...options, prompt: 'demo:fail' })
        .collect();
    await run([]);
    expect(existsSync(mark)).toBe(false);
    await run([home]);
    expect(existsSync(mark)).toBe(true);
  });
});
