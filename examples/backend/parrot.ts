import type {
  AdapterKit,
  BackendModule,
  Dialect,
  DialectOut,
  Driver,
  ErrorInfo,
} from '@baton/runtime/adapter';
import type { ModuleConformance } from '@baton/runtime/conformance';

/** A backend for "parrot", an agent that takes one prompt on standard input and prints JSON lines. */
const parrot = ((kit) => ({
  specVersion: 1,
  id: 'parrot',
  label: 'Parrot',
  aliases: ['polly'],
  install: 'npm install -g parrot-agent',
  binary: { name: 'parrot', envVar: 'PARROT_BIN' },
  // Parrot reads nothing from the folder that it works in.
  settingsPaths: [],
  capabilities: kit.capabilities({
    agent: 'Parrot',
    features: ['streaming'],
    permissionModes: ['allow-all'],
    transports: ['print'],
    stop: 'verified',
  }),
  load: async () => ({ drivers: [print(kit)] }),
})) satisfies BackendModule;

/** One process for each prompt: the prompt is sent, and the input closed. */
const print = (kit: AdapterKit): Driver => ({
  transport: 'print',
  keepsProcess: false,
  stop: kit.DEFAULT_STOP,
  launch: ({ prompt }) => ({ args: [], stdin: { text: prompt.text } }),
  dialect: (out) => parrotDialect(kit, out),
});

/** Turns the lines of one run into events. */
function parrotDialect(kit: AdapterKit, out: DialectOut): Dialect {
  const messages = new kit.MessageAssembly(out.emit);
  const spoken = { messageId: 'm1', kind: 'text' } as const;
  let understood = false;
  let lastError: ErrorInfo | undefined;
  return {
    line(text) {
      const line = kit.object(kit.parseJson(text));
      understood ||= typeof line.type === 'string';
      const callId = String(line.id);
      switch (line.type) {
        case 'text':
          return messages.append({ ...spoken }, String(line.text));
        case 'tool': {
          messages.complete(spoken);
          const [name, input] = [String(line.tool), kit.object(line.input)];
          return out.emit({
            type: 'tool.started',
            callId,
            name,
            action: kit.actionOf(name, input),
          });
        }
        case 'tool_result': {
          const outcome = line.ok === true ? 'ok' : 'error';
          return out.emit({ type: 'tool.completed', callId, outcome, output: String(line.output) });
        }
        case 'error': {
          const code = kit.providerErrorCode({ status: Number(line.status) }) ?? 'agent_failed';
          lastError = kit.errorInfo(code, String(line.message));
          return;
        }
        case 'done':
          return out.complete({ outcome: 'done' });
        default:
          return out.emit({ type: 'unparsed', source: 'stdout', line: text });
      }
    },
    // Called when the process has exited: judges a turn that had no "done".
    end: (end) => kit.judgeEnd(end, 'Parrot', { understood, lastError }),
  };
}

export default parrot;

/** For `baton conformance`: what the model behind the agent can be made to do. */
export const conformance: ModuleConformance = {
  steps: ['say', 'shell', 'write', 'hang', 'fail'],
  failures: ['rate_limited'],
};
