import type {
  AdapterKit,
  BackendModule,
  Dialect,
  DialectOut,
  ErrorInfo,
} from '@baton/runtime/adapter';
import type { ModuleConformance } from '@baton/runtime/conformance';

/** A backend for "otter", whose process stays for several prompts, asks for permission and remembers sessions. */
const otter = ((kit) => ({
  specVersion: 1,
  id: 'otter',
  label: 'Otter',
  install: 'npm install -g otter-agent',
  binary: { name: 'otter', envVar: 'OTTER_BIN' },
  settingsPaths: [],
  capabilities: kit.capabilities({
    agent: 'Otter',
    features: ['streaming', 'permissions', 'resume', 'conversation'],
    options: {
      resume: kit.mapped('--resume'),
      systemPrompt: kit.emulated('prepended to the first prompt'),
      outputSchema: kit.emulated('Baton checks the answer'),
    },
    permissionModes: ['ask', 'auto', 'allow-all'],
    transports: ['live'],
    stop: 'verified',
  }),
  load: async () => ({
    drivers: [
      {
        transport: 'live',
        keepsProcess: true,
        stop: kit.DEFAULT_STOP,
        launch: ({ options, resume }) => ({
          args: [
            ...(resume === undefined ? [] : [`--resume=${resume}`]),
            ...(options.permissionMode === 'allow-all' ? ['--free'] : []),
          ],
          stdin: 'open',
        }),
        dialect: (out) => otterDialect(kit, out),
      },
    ],
    dialects: [
      {
        transport: 'live',
        recognises: (line) => line.startsWith('{"event":'),
        create: (out) => otterDialect(kit, out),
      },
    ],
  }),
})) satisfies BackendModule;

function otterDialect(kit: AdapterKit, out: DialectOut): Dialect {
  const messages = new kit.MessageAssembly(out.emit);
  const requests = new kit.PendingRequests<object>(out.emit);
  const send = (order: string, rest: object = {}) => out.write(JSON.stringify({ order, ...rest }));
  let isOpen = false;
  let understood = false;
  let lastError: ErrorInfo | undefined;
  let count = 0;
  return {
    prompt({ text }) {
      isOpen = true;
      lastError = undefined;
      send('prompt', { text });
    },
    interrupt() {
      send('stop');
      return true;
    },
    answer(requestId, answer) {
      const reply = requests.answer(requestId, answer);
      if (reply) send('decide', reply);
      // Whoever denies may want the whole turn to end.
      if (!('decision' in answer) || answer.decision !== 'deny' || !answer.stop) return;
      lastError = kit.errorInfo('permission_denied', answer.reason ?? 'It was denied.');
      send('stop');
    },
    line(text) {
      const line = kit.object(kit.parseJson(text));
      understood ||= typeof line.event === 'string';
      const [callId, tool, input] = [String(line.call), String(line.tool), kit.object(line.input)];
      const message = { messageId: `message-${count}`, kind: 'text' } as const;
      switch (line.event) {
        case 'hello':
          return out.emit({ type: 'run.identified', nativeSessionId: String(line.session) });
        case 'word':
          return messages.append(message, String(line.text));
        case 'said':
          count += 1;
          return messages.complete(message);
        case 'tool': {
          const action = kit.actionOf(tool, input);
          return out.emit({ type: 'tool.started', callId, name: tool, action });
        }
        case 'ask': {
          const action = kit.actionOf(tool, input);
          const asked = { requestId: `ask-${callId}`, callId, tool, action, input };
          return requests.askPermission({ ...asked, scopes: ['once'], editable: true }, (answer) =>
            answer.decision === 'allow'
              ? { allow: true, edited: answer.input }
              : { allow: false, reason: answer.reason },
          );
        }
        case 'result': {
          const outcome = line.ok === true ? 'ok' : 'error';
          const output = String(line.output);
          return out.emit({ type: 'tool.completed', callId, outcome, output });
        }
        case 'failure': {
          const code = kit.providerErrorCode({ status: Number(line.status) }) ?? 'agent_failed';
          lastError = kit.errorInfo(code, String(line.message));
          return;
        }
        case 'over':
          isOpen = false;
          return out.complete({ outcome: lastError ? 'failed' : 'done', error: lastError });
        default:
          return out.emit({ type: 'unparsed', source: 'stdout', line: text });
      }
    },
    end: (end) =>
      isOpen
        ? kit.judgeEnd(end, 'Otter', {
            understood,
            lastError,
            words: [[/no such session/, 'session_not_found']],
          })
        : undefined,
  };
}

export default otter;

export const conformance: ModuleConformance = {
  steps: ['say', 'shell', 'write', 'hang', 'fail'],
  failures: ['auth', 'rate_limited', 'overloaded', 'server_error'],
};
