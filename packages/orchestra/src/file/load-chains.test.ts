// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a chains file
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentStep, Step } from '../chain.ts';
import { ScriptedHost, testEngine } from '../testing/scripted-host.ts';
import { loadChains } from './load-chains.ts';

/** A folder with files; an object is written as JSON. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chains-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

function load(content: unknown, more: Readonly<Record<string, unknown>> = {}, env = {}) {
  return loadChains({ cwd: folderWith({ 'chains.json': content, ...more }), env });
}

/** The steps of a chain named `c` with one agent named `a`. */
function stepsOf(agent: object, steps: unknown[], chain: object = {}, more = {}, env = {}): Step[] {
  return load({ agents: { a: agent }, chains: { c: { ...chain, steps } } }, more, env).chain('c')
    .steps;
}

function agentStep(agent: object, step: object = {}, chain: object = {}, more = {}, env = {}) {
  const [built] = stepsOf(agent, [{ agent: 'a', ...step }], chain, more, env);
  return built as AgentStep;
}

function errorOf(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

function deepSteps(depth: number): string {
  return `${'[{"loop":'.repeat(depth)}[]${'}]'.repeat(depth)}`;
}

const MINIMAL = { agents: { a: { prompt: 'Hi.' } }, chains: { c: { steps: [{ agent: 'a' }] } } };

describe('the file', () => {
  const named = (name: string) =>
    JSON.stringify({ ...MINIMAL, chains: { [name]: MINIMAL.chains.c } });
  const NAMES = ['chains.json', 'chains.jsonc', 'chains.yaml', 'chains.yml'];
  const ORDER = [...NAMES, ...NAMES.map((name) => `forge/orch/${name}`)];

  test('is the first that exists', () => {
    for (const index of ORDER.keys()) {
      const names = ORDER.slice(index);
      const cwd = folderWith(Object.fromEntries(names.map((name, i) => [name, named(`c${i}`)])));
      expect(loadChains({ cwd, env: {} })).toMatchObject({
        path: join(cwd, ORDER[index] ?? ''),
        folder: cwd,
        names: ['c0'],
      });
    }
  });

  test('can be given, relative to the current folder', () => {
    const cwd = folderWith({ 'chains.json': MINIMAL, 'sub/mine.json': named('mine') });
    const loaded = loadChains({ file: 'sub/mine.json', cwd, env: {} });
    expect(loaded).toMatchObject({ names: ['mine'], folder: join(cwd, 'sub') });
    const outside = loadChains({ file: '../mine.json', cwd: join(cwd, 'sub/x'), env: {} });
    expect(outside.path).toBe(join(cwd, 'sub/mine.json'));
  });

  test('a missing file is an error that says what to create', () => {
    const cwd = folderWith({});
    const error = errorOf(() => loadChains({ cwd, env: {} }));
    expect(error).toMatchObject({ code: 'config_invalid', message: `No chains file in ${cwd}.` });
    expect(error.hint).toContain('chains.json');
    const given = errorOf(() => loadChains({ file: 'nope.json', cwd, env: {} }));
    expect(given.message).toBe(`Cannot read ${cwd}/nope.json: it does not exist.`);
  });

  test('may begin with a byte order mark', () => {
    expect(load(`\uFEFF${JSON.stringify(MINIMAL)}`).names).toEqual(['c']);
  });

  test('an error outside of the current folder has an absolute path', () => {
    const cwd = folderWith({ 'chains.json': '{', 'sub/x': '' });
    const error = errorOf(() => loadChains({ file: '../chains.json', cwd: `${cwd}/sub`, env: {} }));
    expect(error.message).toContain(`${cwd}/chains.json:1:2: `);
  });

  test.each([
    ['chains.json', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['chains.yaml', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['chains.jsonc', `{"chains":{"c":{"steps":${deepSteps(20_000)}}}}`],
  ])('%s that is nested too deeply is an error', (name, content) => {
    const cwd = folderWith({ [name]: content });
    expect(errorOf(() => loadChains({ cwd, env: {} }))).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/chains\.[a-z]+:1:1: the file is nested too deeply\.$/),
    });
  });

  test.each(['.', 'folder'])('does not read the folder %s', (promptFile) => {
    const agents = { a: { promptFile } };
    const more = { 'folder/x': '' };
    expect(errorOf(() => load({ ...MINIMAL, agents }, more)).message).toBe(
      `chains.json:1:30: agents.a.promptFile: cannot read "${promptFile}", relative to the chains file: it is not a file.`,
    );
  });

  describe('does not read what is outside of its folder', () => {
    const step = { agent: 'a' };
    /** Every place of a chains file that may name a file. */
    const places: [where: string, file: (path: string) => object][] = [
      ...[
        ...['promptFile', 'defaultPromptFile', 'systemPrompt', 'systemPromptFile'],
        ...['settings', 'mcpConfig', 'outputSchema'],
      ].map((key): [string, (path: string) => object] => [
        `${key} of an agent`,
        (path) => {
          const prompt = /^(prompt|defaultPrompt)File$/.test(key) ? {} : { prompt: 'Hi.' };
          return { agents: { a: { ...prompt, [key]: path } }, chains: { c: { steps: [step] } } };
        },
      ]),
      ...['promptFile', 'outputSchema'].map((key): [string, (path: string) => object] => [
        `${key} of a step`,
        (path) => ({ ...MINIMAL, chains: { c: { steps: [{ ...step, [key]: path }] } } }),
      ]),
      [
        'promptFile of a chain',
        (promptFile) => ({ ...MINIMAL, chains: { c: { promptFile, steps: [step] } } }),
      ],
    ];

    test.each(places)('%s', (_where, content) => {
      const outer = folderWith({ 'secret.md': '{"secret": 1}', 'project/x': '' });
      const cwd = join(outer, 'project');
      symlinkSync('../secret.md', join(cwd, 'link.md'));
      symlinkSync('..', join(cwd, 'up'));
      const paths = [
        ...[join(outer, 'secret.md'), '../secret.md', 'link.md', 'up/secret.md', 'up/none.md'],
        ...['../none.md', '/proc/self/environ.md', 'x/../../secret.md'],
      ];
      for (const path of paths) {
        writeFileSync(join(cwd, 'chains.json'), JSON.stringify(content(path)));
        const { message } = errorOf(() => loadChains({ cwd, env: {} }));
        expect(message).toContain(`it is not in the folder ${cwd}.`);
      }
    });

    test('a system prompt that could be such a path is a text', () => {
      for (const systemPrompt of ['/etc/passwd', '../../etc/passwd']) {
        expect(agentStep({ prompt: 'Hi.', systemPrompt }).options.systemPrompt).toBe(systemPrompt);
      }
    });
  });

  test('may be a link to another folder, unless it is confined', () => {
    const outer = folderWith({ 'shared/chains.json': MINIMAL, 'project/x': '' });
    const cwd = join(outer, 'project');
    symlinkSync('../shared/chains.json', join(cwd, 'chains.json'));
    expect(loadChains({ cwd, env: {} }).folder).toBe(cwd);
    const confined = errorOf(() => loadChains({ cwd, env: {}, confined: {} }));
    expect(confined.message).toContain(`it is not in the folder ${cwd}.`);
  });

  test('anchors and merge keys of YAML work', () => {
    const cwd = folderWith({
      'chains.yaml': [
        'agents:',
        '  a: &base { prompt: Hi., backend: demo }',
        '  b: { <<: *base, model: x }',
        'chains: { c: { steps: [{ agent: b }] } }',
      ].join('\n'),
    });
    const [step] = loadChains({ cwd, env: {} }).chain('c').steps;
    expect(step).toMatchObject({ prompt: 'Hi.', backend: 'demo', options: { model: 'x' } });
  });

  test('an unknown chain is a usage error with suggestions', () => {
    const loaded = load({ ...MINIMAL, chains: { ship: MINIMAL.chains.c } });
    expect(loaded.chains).toEqual([loaded.chain('ship')]);
    const error = errorOf(() => loaded.chain('shp'));
    expect(error).toMatchObject({ code: 'usage', hint: 'Did you mean "ship"?' });
    expect(errorOf(() => loaded.chain('toString')).hint).toBe('Write "ship".');
  });
});

describe('the hash', () => {
  const CONTENT = {
    agents: {
      a: {
        promptFile: 'p.md',
        systemPrompt: 's.md',
        settings: 'settings.json',
        mcpConfig: 'mcp.json',
        outputSchema: 'schema.json',
      },
    },
    chains: { c: { steps: [{ agent: 'a' }] } },
  };
  const FILES = {
    'chains.json': CONTENT,
    'p.md': 'Prompt.',
    's.md': 'System.',
    'settings.json': {},
    'mcp.json': { mcpServers: {} },
    'schema.json': { type: 'object' },
  };
  const hashOf = (files: Readonly<Record<string, unknown>>) =>
    loadChains({ cwd: folderWith(files), env: {} }).hash;

  test('changes with each file that the chains file refers to, and with nothing else', () => {
    const hash = hashOf(FILES);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ ...FILES, 'other.md': 'x' })).toBe(hash);
    const texts = { 'p.md': 'x', 's.md': 'x', 'settings.json': '{ }', 'mcp.json': '{ }' };
    const changed = {
      ...texts,
      'schema.json': '{ }',
      'chains.json': JSON.stringify(CONTENT, null, 1),
    };
    const hashes = Object.entries(changed).map(([name, text]) =>
      hashOf({ ...FILES, [name]: text }),
    );
    expect(new Set([hash, ...hashes]).size).toBe(7);
  });

  test.each([
    ['an agent', { cwd: 'sub' }, { agent: 'a' }],
    ['a step', {}, { agent: 'a', cwd: './sub/../sub' }],
    [
      'a step in another',
      {},
      { parallel: [{ loop: [{ agent: 'a', cwd: 'sub' }], maxIterations: 1 }] },
    ],
    ['a folder below', { cwd: 'sub/below' }, { agent: 'a' }],
  ])('changes when the folder of %s becomes a link that leads elsewhere', (_, agent, step) => {
    const content = {
      agents: { a: { prompt: 'Hi.', ...agent } },
      chains: { c: { steps: [step] } },
    };
    const cwd = folderWith({ 'chains.json': content, 'sub/below/x': '', 'other/below/x': '' });
    const elsewhere = folderWith({ 'below/x': '' });
    const hash = () => loadChains({ cwd, env: {} }).hash;
    const linkTo = (target: string) => {
      rmSync(join(cwd, 'sub'), { recursive: true });
      symlinkSync(target, join(cwd, 'sub'));
    };
    const before = hash();
    linkTo('other');
    expect(hash()).toBe(before);
    linkTo(elsewhere);
    const outside = hash();
    expect(outside).not.toBe(before);
    linkTo('/');
    expect(new Set([before, outside, hash()]).size).toBe(3);
  });
});

describe('a file that the agent itself reads', () => {
  test.each(['mcpConfig', 'settings'])(
    '%s that an earlier step changes is not used',
    async (key) => {
      const content = {
        agents: { one: { prompt: 'Hi.' }, two: { prompt: 'Hi.', [key]: 'sub/named.json' } },
        chains: {
          c: {
            steps: [
              { agent: 'two', id: 'before' },
              { agent: 'one' },
              { parallel: [{ agent: 'two', id: 'after' }], id: 'last' },
            ],
          },
        },
      };
      const cwd = folderWith({ 'chains.json': content, 'sub/named.json': { mcpServers: {} } });
      const file = join(cwd, 'sub/named.json');
      const write = (path: string) => writeFileSync(path, '{"mcpServers":{"x":{"command":"sh"}}}');
      const changes = [
        () => write(file),
        () => rmSync(file),
        () => {
          rmSync(file);
          write(join(cwd, 'other.json'));
          symlinkSync('../other.json', file);
        },
      ];
      for (const change of changes) {
        rmSync(file, { force: true });
        writeFileSync(file, JSON.stringify({ mcpServers: {} }));
        const host = new ScriptedHost(({ step }) => {
          if (step === 'one') change();
          return {};
        });
        const { run } = await testEngine(host);
        const { state } = await run(loadChains({ cwd, env: {} }).chain('c'));
        expect(host.steps).toEqual(['before', 'one']);
        expect(state).toMatchObject({ status: 'failed' });
        expect(state.error?.message).toContain('named.json');
      }
    },
  );
});

describe('an agent step', () => {
  test('has the defaults of the specification', () => {
    expect(agentStep({ prompt: 'Hi.' })).toEqual({
      id: 'a',
      kind: 'agent',
      agent: 'a',
      backend: 'claude-cli',
      fallback: [],
      prompt: 'Hi.',
      permissionMode: 'ask',
      onFailure: 'stop',
      options: {},
    });
  });

  test('has all options of its agent', () => {
    const agent = {
      backend: 'demo',
      fallback: ['codex-cli'],
      permissionMode: 'auto',
      prompt: 'Hi.',
      systemPrompt: 'Be brief.',
      cwd: 'sub',
      env: { A: 'b' },
      model: 'm',
      maxTurns: 3,
      tools: { allowed: ['Read'], disallowed: ['Bash'] },
      settings: { a: 1 },
      mcpConfig: { mcpServers: { s: { command: 'x' } } },
      mode: 'print',
      providerOptions: { pace: 0 },
      rawArgs: ['--x'],
      outputSchema: { type: 'object' },
      timeoutMs: '5m',
      idleTimeoutMs: 90_000,
      budgetUsd: 1.5,
    };
    expect(agentStep(agent)).toMatchObject({
      backend: 'demo',
      fallback: ['codex-cli'],
      permissionMode: 'auto',
      cwd: 'sub',
      env: { A: 'b' },
      options: {
        systemPrompt: 'Be brief.',
        model: 'm',
        maxTurns: 3,
        tools: { allowed: ['Read'], disallowed: ['Bash'] },
        settings: { a: 1 },
        mcpConfig: { mcpServers: { s: { command: 'x' } } },
        mode: 'print',
        providerOptions: { pace: 0 },
        rawArgs: ['--x'],
        outputSchema: { type: 'object' },
        timeouts: { totalMs: 300_000, idleMs: 90_000 },
        budgetUsd: 1.5,
      },
    });
  });

  test('overrides its agent and its chain', () => {
    const agent = {
      prompt: 'Hi.',
      backend: 'x',
      model: 'x',
      rawArgs: ['--x'],
      idleTimeoutMs: '1s',
    };
    const chain = { backend: 'y', model: 'y', prompt: 'Of the chain.' };
    const step = {
      prompt: 'Of the step.',
      backend: 'z',
      model: 'z',
      args: ['--z'],
      timeoutMs: '1.5h',
      budgetUsd: 2,
      permissionMode: 'allow-all',
      outputSchema: {},
      fallback: ['w'],
      cwd: 'c',
      iterations: 4,
      onFailure: 'continue',
    };
    expect(agentStep(agent, step, chain)).toMatchObject({
      prompt: 'Of the step.',
      backend: 'z',
      fallback: ['w'],
      permissionMode: 'allow-all',
      cwd: 'c',
      iterations: 4,
      onFailure: 'continue',
      options: {
        model: 'z',
        rawArgs: ['--x', '--z'],
        timeouts: { totalMs: 5_400_000, idleMs: 1000 },
        budgetUsd: 2,
        outputSchema: {},
      },
    });
    const ofChain = agentStep(agent, {}, chain);
    expect(ofChain).toMatchObject({
      backend: 'y',
      prompt: 'Of the chain.',
      options: { model: 'y' },
    });
  });

  test('reads the names of the older program', () => {
    const agent = {
      defaultPromptFile: 'p.md',
      systemPromptText: 'sys.md',
      allowedTools: ['Read'],
      disallowedTools: ['Bash'],
    };
    expect(agentStep(agent, {}, {}, { 'p.md': 'Prompt.\n' })).toMatchObject({
      prompt: 'Prompt.\n',
      options: {
        systemPrompt: 'sys.md',
        tools: { allowed: ['Read'], disallowed: ['Bash'] },
      },
    });
    const both = { prompt: 'Hi.', allowedTools: ['Read'], tools: { allowed: ['Edit'] } };
    expect(errorOf(() => agentStep(both)).message).toContain('are the same; keep one');
  });

  test.each([
    ['system.md', 'From the file.'],
    ['system', 'From another file.'],
    ['Read system.md first.', 'Read system.md first.'],
    ['Be brief.\nsystem.md', 'Be brief.\nsystem.md'],
    ['.', '.'],
  ])('the system prompt %j is %j', (systemPrompt, text) => {
    const files = { 'system.md': 'From the file.', system: 'From another file.' };
    const { options } = agentStep({ prompt: 'Hi.', systemPrompt }, {}, {}, files);
    expect(options.systemPrompt).toBe(text);
  });

  test('paths are relative to the chains file', () => {
    const cwd = folderWith({
      'forge/orch/chains.json': {
        agents: {
          a: {
            prompt: 'Hi.',
            settings: 's.json',
            mcpConfig: './m.json',
            command: '../agent --x "y z"',
          },
          b: { prompt: 'Hi.', command: ['agent'], rawArgs: ['--raw'] },
        },
        chains: { c: { steps: [{ agent: 'a' }, { agent: 'b', args: ['--arg'] }] } },
      },
      'forge/orch/s.json': {},
      'forge/orch/m.json': {},
    });
    const [a, b] = loadChains({ cwd, env: {} }).chain('c').steps;
    expect(a).toMatchObject({
      command: [join(cwd, 'forge/agent'), '--x', 'y z'],
      options: {
        settings: join(cwd, 'forge/orch/s.json'),
        mcpConfig: join(cwd, 'forge/orch/m.json'),
      },
    });
    expect(b).toMatchObject({ command: ['agent', '--raw', '--arg'], options: {} });
  });

  test('paths in forge/orch may be relative to the project', () => {
    const cwd = folderWith({
      'forge/orch/chains.json': {
        agents: { a: { defaultPromptFile: 'prompts/a.md', systemPrompt: 'prompts/system.md' } },
        chains: { c: { steps: [{ agent: 'a' }] } },
      },
      'prompts/a.md': 'From the project.',
      'prompts/system.md': 'System.',
      'forge/orch/prompts/system.md': 'Beside the file.',
    });
    const [a] = loadChains({ cwd, env: {} }).chain('c').steps;
    expect(a).toMatchObject({
      prompt: 'From the project.',
      options: { systemPrompt: 'Beside the file.' },
    });
  });

  test('a compiled agent needs no prompt', () => {
    expect(agentStep({ command: './agent' }).prompt).toBe('');
  });
});

describe('variables', () => {
  const env = { NAME: 'Ada', BRACES: '{{inputs.goal}}', EMPTY: '', SECRET: 's3cret' };

  test('are replaced in all strings, but not in keys', () => {
    const step = agentStep(
      {
        prompt: 'Hi ${NAME}, ${EMPTY}${EMPTY:-x} ${NONE:-y z}.',
        model: '$${NAME}',
        rawArgs: ['${NAME}'],
      },
      {},
      {},
      {},
      env,
    );
    expect(step.prompt).toBe('Hi Ada, x y z.');
    expect(step.options).toEqual({ model: '${NAME}', rawArgs: ['Ada'] });
  });

  test('are not rendered as templates', () => {
    expect(agentStep({ prompt: '${BRACES}', model: '${BRACES}' }, {}, {}, {}, env)).toMatchObject({
      prompt: '{{{{inputs.goal}}',
      options: { model: '{{inputs.goal}}' },
    });
  });

  test('a dollar sign before a template is only that', () => {
    const chain = { inputs: { price: '5' } };
    expect(agentStep({ prompt: 'For ${{inputs.price}}' }, {}, chain).prompt).toBe(
      'For ${{inputs.price}}',
    );
  });

  test('of env and MCP servers are kept', () => {
    const server = { command: 'x', env: { TOKEN: '${SECRET}' } };
    const agent = { prompt: 'Hi.', env: { A: '${SECRET}' }, mcpConfig: { mcpServers: { server } } };
    const step = agentStep(agent, {}, {}, {}, env);
    expect(JSON.stringify(step)).not.toContain(env.SECRET);
    expect(step.env).toEqual({ A: '${SECRET}' });
  });

  test('are rights of the chains that use them, wherever they are written', () => {
    const server = { command: 'x', env: { TOKEN: '${MCP}' } };
    const loaded = load(
      {
        agents: {
          a: {
            prompt: '${PROMPT}',
            env: { X: '${ENV:-none}' },
            mcpConfig: { mcpServers: { server } },
          },
          b: { prompt: '${OTHER}' },
          c: { prompt: 'Price: $${NOT}' },
        },
        chains: {
          one: { steps: [{ loop: [{ agent: 'a', cwd: './${CWD}' }], maxIterations: 2 }] },
          two: { steps: [{ agent: 'c' }, { agent: 'c', prompt: '${PROMPT}${STEP}' }] },
          none: { steps: [{ agent: 'c' }] },
        },
      },
      {},
      { MCP: '1', PROMPT: '2', OTHER: '3', CWD: '4', STEP: '5' },
    );
    const variables = (name: string) =>
      loaded.rights(loaded.chain(name)).filter(({ what }) => what === 'variables of yours');
    expect(variables('one')).toMatchObject([{ step: '', value: 'CWD, ENV, MCP, PROMPT' }]);
    expect(variables('two')).toMatchObject([{ step: '', value: 'PROMPT, STEP' }]);
    expect(variables('none')).toEqual([]);
  });

  test.each(['$${A}', '${B:-${A}}', '$${A:-x}', '$A', '$${env:A}'])(
    'are named when the agent itself would replace %s',
    (text) => {
      const server = { command: 'sh', args: ['-c', text] };
      const loaded = load({
        agents: { one: { prompt: 'x', mcpConfig: { mcpServers: { s: server } } } },
        chains: { c: { steps: [{ agent: 'one' }] } },
      });
      const [named] = loaded.rights(loaded.chain('c'));
      expect(named?.value.split(', ')).toContain('A');
    },
  );

  test('that are malformed are errors', () => {
    for (const prompt of ['${', '${}', '${a b}', '${NAME', '${x.y}']) {
      expect(errorOf(() => agentStep({ prompt }, {}, {}, {}, env)).message).toContain(
        'is not a variable',
      );
    }
  });
});

describe('the other steps', () => {
  test('are built with their defaults, ids and conditions', () => {
    const steps = stepsOf({ prompt: 'Hi.', outputSchema: {} }, [
      { agent: 'a' },
      {
        parallel: [{ agent: 'a' }, { agent: 'a', prompt: '{{steps.a.output}}{{previous.output}}' }],
      },
      {
        loop: [{ agent: 'a', prompt: '{{iteration}} {{steps.a.structured.x}}' }],
        maxIterations: 3,
        until: { step: 'previous', path: 'ok', equals: true },
        if: { not: { step: 'a', outcome: ['failed', 'timed_out'] } },
      },
      {
        forEach: '{{steps.a.structured.files}}',
        steps: [{ agent: 'a', prompt: '{{item.name}} {{index}}', cwd: '{{item}}' }],
      },
      {
        forEach: [1, { a: 2 }, '{{item}}'],
        policy: 'wait',
        concurrency: 2,
        steps: [{ agent: 'a' }],
      },
      { approve: 'Ship {{steps.parallel.output}}?', onFailure: 'continue' },
    ]);
    expect(steps.map(({ id, kind }) => [id, kind])).toEqual([
      ['a', 'agent'],
      ['parallel', 'parallel'],
      ['loop', 'loop'],
      ['forEach', 'forEach'],
      ['forEach-2', 'forEach'],
      ['approval', 'approval'],
    ]);
    const [, parallel, loop, forEach, list, approval] = steps;
    expect(parallel).toMatchObject({ policy: 'fail-fast', steps: [{ id: 'a' }, { id: 'a-2' }] });
    expect(loop).toMatchObject({
      maxIterations: 3,
      until: { step: 'previous', path: 'ok', equals: true },
      if: { not: { step: 'a', outcome: ['failed', 'timed_out'] } },
    });
    expect(forEach).toMatchObject({ items: '{{steps.a.structured.files}}', concurrency: 1 });
    expect(list).toMatchObject({
      items: [1, { a: 2 }, '{{item}}'],
      policy: 'wait',
      concurrency: 2,
    });
    expect(approval).toMatchObject({ onFailure: 'continue' });
  });

  test('a sibling in parallel and a step after the loop are not before', () => {
    const message = errorOf(() =>
      stepsOf({ prompt: 'Hi.' }, [
        {
          parallel: [
            { agent: 'a', id: 'x' },
            { agent: 'a', prompt: '{{steps.x.output}}' },
          ],
        },
        { loop: [{ agent: 'a', if: { step: 'end', outcome: 'done' } }], maxIterations: 1 },
        { agent: 'a', id: 'end' },
      ]),
    ).message;
    expect(message).toContain('step "x" is not before this step');
    expect(message).toContain('step "end" is not before this step');
  });

  test('the condition of a loop sees its steps; a later step sees only the loop', () => {
    const loop = { id: 'fix', loop: [{ agent: 'a', id: 't' }], maxIterations: 2 };
    const until = { step: 't', outcome: 'done' };
    expect(stepsOf({ prompt: 'Hi.' }, [{ ...loop, until }])).toHaveLength(1);
    const after = { agent: 'a', prompt: '{{steps.t.output}}' };
    expect(errorOf(() => stepsOf({ prompt: 'Hi.' }, [loop, after])).message).toContain(
      'step "t" is inside "fix"; refer to "fix" instead',
    );
  });

  test('conditions in a loop can refer to the iteration before, templates cannot', () => {
    const loopOf = (first: object) => [
      {
        loop: [
          { agent: 'a', ...first },
          { agent: 'a', id: 'review' },
        ],
        maxIterations: 2,
      },
    ];
    for (const step of ['previous', 'review']) {
      const steps = loopOf({ if: { step, outcome: 'failed' } });
      expect(stepsOf({ prompt: 'Hi.' }, steps)).toHaveLength(1);
    }
    for (const prompt of ['{{previous.output}}', '{{steps.review.output}}']) {
      expect(errorOf(() => stepsOf({ prompt }, loopOf({}))).message).toContain('before');
    }
  });

  test('"iteration" exists in a loop and in a step that is repeated', () => {
    const prompt = 'Round {{iteration}}';
    expect(agentStep({ prompt }, { iterations: 2 }).prompt).toBe(prompt);
    for (const step of [{}, { iterations: 1 }]) {
      expect(errorOf(() => agentStep({ prompt }, step)).message).toContain(
        '"iteration" exists only',
      );
    }
  });
});

test('a chain has inputs, limits and a description', () => {
  const { chains } = load({
    ...MINIMAL,
    chains: {
      c: {
        description: 'Says hi.',
        inputs: { goal: 'Ship', size: { choices: ['s', 'm'], default: 's', multiline: true } },
        timeoutMs: '1h',
        budgetUsd: 5,
        steps: [{ agent: 'a' }],
      },
      d: { timeoutMs: 0, steps: [{ agent: 'a' }] },
    },
  });
  expect(chains[0]).toMatchObject({
    name: 'c',
    description: 'Says hi.',
    inputs: { goal: { default: 'Ship' }, size: { choices: ['s', 'm'], default: 's' } },
    timeoutMs: 3_600_000,
    budgetUsd: 5,
  });
  expect(chains[1]).not.toHaveProperty('timeoutMs');
});

describe('the workspace', () => {
  const steps = (workspace: unknown, chain: object = {}) => ({
    agents: { a: { prompt: 'Hi.' } },
    chains: { c: { ...chain, steps: [{ agent: 'a', workspace }] } },
  });

  test('is a kind, or an object with the options of a worktree', () => {
    const [step] = load(steps('worktree')).chain('c').steps;
    expect(step).toMatchObject({ workspace: { kind: 'worktree' } });
    const request = { kind: 'worktree', name: 'x', base: 'main', with_changes: true };
    const chain = load(steps('in_place', { workspace: request })).chain('c');
    expect(chain.workspace).toEqual(request);
    expect(chain.steps[0]).toMatchObject({ workspace: { kind: 'in_place' } });
  });

  test.each([
    [steps('worktre'), 'chains.c.steps[0].workspace must be "worktree", "in_place" or an object.'],
    [
      steps({ kind: 'worktree', bas: 'x' }),
      'unknown key "bas" in chains.c.steps[0].workspace; did you mean "base"?',
    ],
    [steps({ name: 'x' }), 'chains.c.steps[0].workspace needs "kind".'],
    [steps({ kind: 'in_place', base: 'x' }), '"base" is only for a worktree.'],
    [steps({ kind: 'worktree', name: '{{item}}' }), '"item" exists only inside "forEach".'],
    [
      steps('worktree', { workspace: { kind: 'worktree', name: '{{inputs.no}}' } }),
      'unknown input "no"',
    ],
    [
      steps('worktree', { workspace: { kind: 'worktree', name: '{{previous.output}}' } }),
      'there is no step before',
    ],
  ])('%j is an error with its place', (content, words) => {
    const { message } = errorOf(() => load(content));
    expect(message).toMatch(/chains\.json:1:\d+: /);
    expect(message).toContain(words);
  });
});
