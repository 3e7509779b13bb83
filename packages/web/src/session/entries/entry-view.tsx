import type { Entry } from '@baton/protocol';
import { memo, type ReactNode } from 'react';
import { FileCard, PlanCard } from './cards.tsx';
import { ChangeLine, NoticeLine, StopLine, UnparsedLine } from './lines.tsx';
import { MessageView } from './message-view.tsx';
import { PromptView } from './prompt-view.tsx';
import { RequestView } from './request-view.tsx';
import { ResultView } from './result-view.tsx';
import { ToolView } from './tool-view.tsx';

/** One thing that happened in a session. */
export const EntryView = memo(function EntryView({ entry }: { entry: Entry }): ReactNode {
  switch (entry.kind) {
    case 'prompt':
      return <PromptView entry={entry} />;
    case 'text':
    case 'thinking':
      return <MessageView entry={entry} />;
    case 'tool':
      return <ToolView entry={entry} />;
    case 'permission':
    case 'question':
      return <RequestView entry={entry} />;
    case 'plan':
      return <PlanCard entry={entry} />;
    case 'file':
      return <FileCard entry={entry} />;
    case 'notice':
      return <NoticeLine entry={entry} />;
    case 'unparsed':
      return <UnparsedLine entry={entry} />;
    case 'stop':
      return <StopLine entry={entry} />;
    case 'change':
      return <ChangeLine entry={entry} />;
    case 'result':
      return <ResultView entry={entry} />;
    default:
      // A daemon that is newer than this page may know more.
      return null;
  }
});
