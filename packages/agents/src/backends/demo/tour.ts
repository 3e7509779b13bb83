import type { ToolOutcome } from '@baton/protocol/values';
import type { DemoStep } from './steps.ts';

/** The file that the tour writes into the working directory. */
const TOUR_FILE = 'hello-from-baton.md';

type Entry = Extract<DemoStep, { plan: unknown }>['plan'][number];

/**
 * Shows what an agent does, for people who have none yet: it thinks, plans, reads, edits, runs and asks. Each step is
 * answered with what became of it.
 */
export function* tour(prompt: string): Generator<DemoStep, void, ToolOutcome | undefined> {
  const words = prompt.trim().replaceAll(/\s+/g, ' ').slice(0, 80);
  const content = `# Hello from Baton\n\nThe demo agent wrote this file.\nThe prompt was: ${words}\n`;
  yield {
    think: `The user wrote: "${words}". I am only a demo, so I show what a real agent would look like here.`,
  };
  yield {
    say: `This is the demo agent: no model, no key, no network. You asked: "${words}". I will look around, write a small file, run a command, and ask you something.`,
  };
  yield { plan: plan('in_progress', 'pending', 'pending') };
  yield { read: '.' };
  const written = yield { write: { path: TOUR_FILE, content } };
  const ran = yield { shell: `wc -l ${TOUR_FILE}` };
  yield { plan: plan('completed', statusAfter(written), statusAfter(ran)) };
  yield { question: { question: 'Should I be brief or chatty?', options: ['Brief', 'Chatty'] } };
  yield { say: `${resultOf(written, ran)} Only I am a demo.` };
}

function plan(look: Entry['status'], write: Entry['status'], run: Entry['status']): Entry[] {
  return [
    { text: 'Look around', status: look },
    { text: `Write ${TOUR_FILE}`, status: write },
    { text: 'Run a command', status: run },
  ];
}

function statusAfter(outcome: ToolOutcome | undefined): Entry['status'] {
  return outcome === 'ok' ? 'completed' : 'pending';
}

function resultOf(written: ToolOutcome | undefined, ran: ToolOutcome | undefined): string {
  if (written === 'ok' && ran === 'ok') {
    return `Done. Everything you saw was real: the file ${TOUR_FILE}, the command, your answers.`;
  }
  const file = missed(written, `${TOUR_FILE} was not written`, `${TOUR_FILE} could not be written`);
  const command = missed(ran, 'the command was not run', 'the command failed');
  return `Done, but ${[...file, ...command].join(', and ')}. What you saw was real.`;
}

function missed(outcome: ToolOutcome | undefined, denied: string, failed: string): string[] {
  if (outcome === 'ok') return [];
  return [outcome === 'denied' ? `${denied}, because that was not allowed` : failed];
}
