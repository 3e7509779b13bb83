import { z } from 'zod';

/** The task packet of the runner, as the server hands it out. Unknown fields are kept. */
export const mcpTaskPacketSchema = z.looseObject({
  taskId: z.string().optional(),
  taskType: z.string().optional(),
  agentId: z.string().optional(),
  orgId: z.string().optional(),
  streamId: z.string().optional(),
  threadId: z.string().optional(),
  /** The input of the task as JSON text. */
  inputJson: z.string().optional(),
  prompt: z
    .looseObject({ rendered: z.string().optional(), backend: z.string().nullish() })
    .optional(),
  execution: z
    .looseObject({
      backend: z.string().nullish(),
      model: z.string().nullish(),
      allowedTools: z.array(z.string()).nullish(),
      timeoutSec: z.number().nullish(),
      outputSchemaJson: z.string().nullish(),
    })
    .optional(),
  policy: z.looseObject({ taskTimeoutSeconds: z.number().nullish() }).optional(),
});
export type McpTaskPacket = z.infer<typeof mcpTaskPacketSchema>;
