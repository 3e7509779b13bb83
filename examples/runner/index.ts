import { executeTask, executionBackends } from './execution.js';
import { MyExecutionBackend } from './my_backend.js';

// After other backend registrations:
const myBackend = new MyExecutionBackend();
executionBackends.push(myBackend);

/** Runs a task that names the backend, as a runner does. */
export const result = await executeTask({
  taskId: 'task-1',
  taskType: 'task',
  packet: { execution: { backend: 'my-backend' } },
  prompt: 'Say hello',
  startedAt: Date.now(),
  abortSignal: new AbortController().signal,
});
