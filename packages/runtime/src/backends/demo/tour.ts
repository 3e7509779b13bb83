import type { DemoStep } from './steps.ts';

/** The file that the tour writes into the working directory. */
export const TOUR_FILE = 'hello-from-baton.md';

/** Shows what an agent does, for people who have none yet: it thinks, plans, reads, edits, runs and asks. */
export function tour(prompt: string): DemoStep[] {
  const words = prompt.trim().replaceAll(/\s+/g, ' ').slice(0, 80);
  return [
    {
      think: `The person wrote: "${words}". I am only a demo, so I show what a real agent would look like here.`,
    },
    {
      say: `This is the demo agent: no model, no key, no network. You asked: "${words}". I will look around, write a small file, run a command, and ask you something.`,
    },
    {
      plan: [
        { text: 'Look around', status: 'in_progress' },
        { text: `Write ${TOUR_FILE}`, status: 'pending' },
        { text: 'Run a command', status: 'pending' },
      ],
    },
    { read: '.' },
    {
      write: {
        path: TOUR_FILE,
        content: `# Hello from Baton\n\nThe demo agent wrote this file.\nThe prompt was: ${words}\n`,
      },
    },
    { shell: `wc -l ${TOUR_FILE}` },
    {
      plan: [
        { text: 'Look around', status: 'completed' },
        { text: `Write ${TOUR_FILE}`, status: 'completed' },
        { text: 'Run a command', status: 'completed' },
      ],
    },
    { question: { question: 'Shall I be brief or chatty?', options: ['Brief', 'Chatty'] } },
    {
      say: `Done. Everything you saw was real: the file ${TOUR_FILE}, the command, your answers. Only I am a demo.`,
    },
  ];
}
