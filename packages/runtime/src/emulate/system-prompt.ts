/** Puts the system prompt in front of the first prompt, for agents that have no other place for it. */
export function withSystemPrompt(systemPrompt: string | undefined, prompt: string): string {
  return systemPrompt ? `${systemPrompt}\n\n${prompt}` : prompt;
}
