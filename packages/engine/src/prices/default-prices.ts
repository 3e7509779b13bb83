/** The prices of input, output, input read from a cache, and input written to a cache; by default, those are input. */
type Row = readonly [input: number, output: number, cachedInput?: number, cacheWrite?: number];

/** Date on which the prices below were collected. */
export const PRICES_DATE = '2026-11-10';

/**
 * List prices of models that agents commonly use, by the name of the provider and of the model, in US dollars for a
 * million tokens. Where a provider charges more for long contexts it is the price of short ones: what an agent reports
 * is the sum of many requests. Update the date with the prices.
 */
export const DEFAULT_PRICES: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  anthropic: {
    'claude-fable-5': [10, 50, 1, 12.5],
    'claude-fable-5-1': [10, 50, 0.25, 12.5],
    'claude-fable-5-2': [8, 40, 0.2, 10],
    'claude-haiku-4-5': [1, 5, 0.1, 1.25],
    'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125],
    'claude-opus-4-5': [5, 25, 0.5, 6.25],
    'claude-opus-4-6': [5, 25, 0.5, 6.25],
    'claude-opus-4-7': [5, 25, 0.5, 6.25],
    'claude-opus-4-8': [5, 25, 0.5, 6.25],
    'claude-opus-5': [5, 25, 0.5, 6.25],
    'claude-opus-5-5': [4, 20, 0.2, 5],
    'claude-sonnet-4-5': [3, 15, 0.3, 3.75],
    'claude-sonnet-4-6': [3, 15, 0.3, 3.75],
    'claude-sonnet-5': [2, 10, 0.2, 2.5],
    'claude-sonnet-5-5': [2, 10, 0.1, 2.5],
  },
  openai: {
    'gpt-4.1': [2, 8, 0.5],
    'gpt-4.1-mini': [0.4, 1.6, 0.1],
    'gpt-4.1-nano': [0.1, 0.4, 0.025],
    'gpt-5': [1.25, 10, 0.125],
    'gpt-5-mini': [0.25, 2, 0.025],
    'gpt-5-nano': [0.05, 0.4, 0.005],
    'gpt-5-pro': [15, 120],
    'gpt-5.1': [1.25, 10, 0.125],
    'gpt-5.2': [1.75, 14, 0.175],
    'gpt-5.2-pro': [21, 168],
    'gpt-5.3-codex': [1.75, 14, 0.175],
    'gpt-5.4': [2.5, 15, 0.25],
    'gpt-5.4-mini': [0.75, 4.5, 0.075],
    'gpt-5.4-nano': [0.2, 1.25, 0.02],
    'gpt-5.4-pro': [30, 180],
    'gpt-5.5': [5, 30, 0.5],
    'gpt-5.5-pro': [30, 180],
    'gpt-5.6-luna': [0.2, 1.2, 0.02, 0.25],
    'gpt-5.6-sol': [4, 20, 0.4, 5],
    'gpt-5.6-terra': [2, 12, 0.2, 2.5],
    'gpt-6-astra': [10, 50, 1, 12.5],
    'gpt-6-luna': [0.1, 0.5, 0.01, 0.125],
    'gpt-6-sol': [2, 10, 0.2, 2.5],
    'gpt-6.1-sol': [2, 10, 0.1, 2.5],
    'gpt-6.1-terra': [1, 5, 0.05, 1.25],
    o3: [2, 8, 0.5],
    'o4-mini': [1.1, 4.4, 0.275],
  },
  google: {
    'gemini-2.5-flash': [0.3, 2.5, 0.03],
    'gemini-2.5-flash-lite': [0.1, 0.4, 0.01],
    'gemini-2.5-pro': [1.25, 10, 0.125],
    'gemini-3-flash-preview': [0.5, 3, 0.05],
    'gemini-3.1-flash-lite': [0.25, 1.5, 0.025],
    'gemini-3.1-flash-lite-preview': [0.25, 1.5, 0.025],
    'gemini-3.1-pro-preview': [2, 12, 0.2],
    'gemini-3.1-pro-preview-customtools': [2, 12, 0.2],
    'gemini-3.5-flash': [1.5, 9, 0.15],
    'gemini-3.5-flash-lite': [0.3, 2.5, 0.03],
    'gemini-3.6-flash': [0.75, 3.75, 0.075],
    'gemini-3.7-flash': [0.75, 3.75, 0.075],
    'gemini-3.8-flash': [0.75, 3.75, 0.075],
    'gemini-4-argon': [2, 10, 0.1],
  },
  xai: {
    'grok-4.3': [1.25, 2.5, 0.2],
    'grok-4.5': [2, 6, 0.3],
    'grok-4.6': [2, 6, 0.5],
    'grok-4.7': [2, 6, 0.5],
  },
  deepseek: {
    'deepseek-flash': [0.3, 1.2, 0.006],
    'deepseek-v4-pro': [1.32, 3.96, 0.044],
  },
  moonshotai: {
    'kimi-k2.6': [0.95, 4, 0.16],
    'kimi-k2.7-code': [0.95, 4, 0.19],
    'kimi-k2.7-code-highspeed': [1.9, 8, 0.38],
    'kimi-k3': [3, 15, 0.3],
    'kimi-k3.1-pro': [2, 10, 0.2],
    'kimi-k3.1-pro-highspeed': [4, 20, 0.2],
  },
  zai: {
    'glm-4.7': [0.6, 2.2, 0.11],
    'glm-5-turbo': [1.2, 4, 0.24],
    'glm-5.2': [1.4, 4.4, 0.26],
    'glm-5.3': [1.4, 4.4, 0.26],
    'glm-5.3-flash': [0.15, 0.5, 0.03],
  },
  minimax: {
    'MiniMax-M2.7': [0.3, 1.2, 0.06, 0.375],
    'MiniMax-M3': [0.3, 1.2, 0.06],
    'MiniMax-M3.1-Flash': [0.15, 0.6, 0.015],
  },
  mistral: {
    'codestral-2508': [0.3, 0.9, 0.03],
    'devstral-2512': [0.4, 2, 0.04],
    'mistral-large-2512': [0.5, 1.5, 0.05],
    'mistral-large-4': [0.7, 2.1, 0.07],
    'mistral-medium-2604': [1.5, 7.5, 0.15],
  },
};
