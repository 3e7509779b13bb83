import type {
  RunnerExecutionBackend,
  RunnerExecutionRequest,
  RunnerExecutionResult,
} from './execution.js';
import { normalizeExecutionBackend } from './execution.js';

export class MyExecutionBackend implements RunnerExecutionBackend {
  readonly id = 'my-backend';

  canExecute(backend: string): boolean {
    return normalizeExecutionBackend(backend) === 'my-backend';
  }

  async execute(request: RunnerExecutionRequest): Promise<RunnerExecutionResult> {
    // Access the full task packet via request.packet
    // Use request.prompt for the rendered prompt text
    // Respect request.abortSignal for cancellation

    const output = 'result from my backend';

    return {
      status: 'done',
      output,
      durationMs: Date.now() - request.startedAt,
    };
  }
}
