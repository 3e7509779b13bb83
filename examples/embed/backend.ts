// A backend for an agent that reads a prompt from standard input and prints its answer as text. Here that is "cat".
import { launch, registerBackend } from '@baton/runtime';
import { capabilities, DEFAULT_STOP, type Driver, judgeEnd } from '@baton/runtime/adapter';

const cat = { id: 'cat', label: 'Cat', install: 'Part of the system.', binary: { name: 'cat' } };
const driver: Driver = {
  transport: 'print',
  keepsProcess: false,
  stop: DEFAULT_STOP,
  launch: ({ prompt }) => ({ args: [], stdin: { text: prompt.text } }),
  dialect: ({ emit }) => ({
    line: (line) => emit({ type: 'message.delta', messageId: 'answer', text: `${line}\n` }),
    end: (end) => (end.code === 0 ? { outcome: 'done' } : judgeEnd(end, cat.label)),
  }),
};
registerBackend({
  ...cat,
  specVersion: 1,
  settingsPaths: [],
  capabilities: capabilities({
    agent: cat.label,
    features: ['streaming'],
    permissionModes: ['allow-all'],
    transports: ['print'],
    stop: 'verified',
  }),
  load: async () => ({ drivers: [driver], credentials: () => ({ credentials: 'not_needed' }) }),
});
const run = await launch({ backend: 'cat', prompt: 'Meow.', permissionMode: 'allow-all' });
for await (const text of run.text()) process.stdout.write(text);
