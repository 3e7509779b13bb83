import { createBaton } from '@baton/agents/registry/create-baton';
import { loadSettings, type SettingName } from '@baton/config/settings';
import type { RunOptions } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { dropUnsupportedSettings } from './drop-unsupported-settings.ts';

type Input = {
  backend: string;
  env?: Record<string, string>;
  flags?: Partial<Record<SettingName, unknown>>;
};

async function fit(options: RunOptions, { backend, env = {}, flags = {} }: Input) {
  const settings = loadSettings({ program: 'baton', home: '/nowhere', cwd: '/', env, flags });
  const warnings: string[] = [];
  const fitting = dropUnsupportedSettings(
    options,
    settings,
    await (await createBaton({ settings: 'none' })).loadBackend(backend),
    (warning) => warnings.push(warning),
  );
  return { fitting, warnings };
}

describe('what an agent cannot keep', () => {
  test('of a variable is left away with a warning that names it, unless it is a prohibition', async () => {
    const options = { model: 'm', tools: { allowed: ['Read'], disallowed: ['Bash'] } };
    const env = { BATON_ALLOWED_TOOLS: 'Read', BATON_DISALLOWED_TOOLS: 'Bash', BATON_MODEL: 'm' };
    const { fitting, warnings } = await fit(options, { backend: 'codex', env });
    expect(fitting).toEqual({ model: 'm', tools: { allowed: undefined, disallowed: ['Bash'] } });
    expect(warnings).toEqual([
      'allowedTools (BATON_ALLOWED_TOOLS) is ignored: not supported by Codex: Codex controls access by sandbox and approval policy, not by tool name.',
    ]);
  });

  test('of a flag stays, to be refused', async () => {
    const options = { model: 'm' };
    const flags = { model: 'm' };
    expect(await fit(options, { backend: 'demo', flags })).toEqual({
      fitting: options,
      warnings: [],
    });
  });

  test('is not looked for where nothing was set', async () => {
    expect((await fit({ tools: { allowed: [] } }, { backend: 'codex' })).warnings).toEqual([]);
  });
});

describe('the permission mode', () => {
  const options = { permissionMode: 'ask', transport: 'plain' } as const;

  test('that is only the default is not asked of a transport that was chosen', async () => {
    const { fitting, warnings } = await fit(options, { backend: 'claude' });
    expect(fitting).toEqual({ transport: 'plain', permissionMode: undefined });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['a flag', { flags: { permissionMode: 'ask' } }],
    ['a variable', { env: { BATON_PERMISSION_MODE: 'ask' } }],
  ])('of %s stays', async (_name, given) => {
    expect((await fit(options, { backend: 'claude', ...given })).fitting).toBe(options);
  });
});

describe('a budget', () => {
  const env = { BATON_BUDGET_USD: '5' };

  test('is left away for an agent that knows no prices', async () => {
    const { fitting, warnings } = await fit({ budgetUsd: 5 }, { backend: 'codex', env });
    expect(fitting.budgetUsd).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^budgetUsd \(BATON_BUDGET_USD\).*prices/)]);
  });

  test('is kept when prices are set, or the agent reports cost', async () => {
    const prices = { inputPerMillion: 1, outputPerMillion: 1 };
    const priced = { budgetUsd: 5, providerOptions: { prices } };
    expect((await fit(priced, { backend: 'codex', env })).fitting).toBe(priced);
    expect((await fit({ budgetUsd: 5 }, { backend: 'claude', env })).warnings).toEqual([]);
  });
});
