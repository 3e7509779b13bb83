import { capabilities, emulated, mapped } from '@baton/engine/kit/capabilities';
import type { Capabilities } from '@baton/protocol/values';

/**
 * Returns the capabilities of an agent of which Baton only knows that it speaks the protocol, and maybe that it acts
 * without asking.
 */
export function acpCapabilities(agent: string, { actsUnasked = false } = {}): Capabilities {
  return capabilities({
    agent,
    features: [
      'streaming',
      'thinking',
      'permissions',
      'questions',
      'resume',
      'fork',
      'conversation',
      'systemPrompt',
      'structuredOutput',
      'mcp',
      'images',
      'usage',
      'plan',
      'subagents',
      'diffs',
    ],
    options: {
      systemPrompt: emulated('prepended to the first prompt'),
      model: mapped('the model option of the session; the run fails if the agent has none'),
      mcpConfig: mapped('the MCP servers of the session'),
      rawArgs: mapped('added to the command line'),
      permissionMode: mapped(
        actsUnasked
          ? 'allow-all: every request is granted. In a test the agent acted without asking, so ask and auto are refused'
          : "Baton answers the agent's requests; Baton has not verified that the agent asks",
      ),
      resume: mapped('session/resume or session/load; the run fails if the agent supports neither'),
      fork: mapped('session/fork; the run fails if the agent does not support it'),
      outputSchema: emulated('Baton asks for JSON and validates it'),
      images: mapped('content blocks of the prompt'),
    },
    permissionModes: actsUnasked ? ['allow-all'] : ['ask', 'auto', 'allow-all'],
    permissions: actsUnasked ? 'none' : 'claimed',
    transports: ['live'],
    stop: 'verified',
  });
}
