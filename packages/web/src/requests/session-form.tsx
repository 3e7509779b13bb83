import { showUnseen } from '@baton/protocol';
import { LiteralText } from '../design/literal-text.tsx';
import { LongText } from '../design/long-text.tsx';
import { AnswerForm, type FormProps } from './answer-form.tsx';
import { isWholeTool, patternOf } from './pattern.ts';
import styles from './requests.module.css';

/** Says what an answer for the whole session allows, and asks to confirm it. */
export function SessionForm({ onAllow, ...common }: FormProps & { onAllow: () => void }) {
  const { request } = common.asked;
  const pattern = patternOf(request);
  // The card shows a command as it is; of a change it shows more than the path.
  const isShown = request.action.type === 'command' || pattern === undefined;
  const what = isWholeTool(request)
    ? 'with any arguments, without asking again.'
    : isShown
      ? 'for exactly this, without asking again.'
      : 'without asking again for:';
  return (
    <AnswerForm {...common} words="Allow for this session" widens isConfirmation onSubmit={onAllow}>
      <p>
        For the rest of this session, the agent may use <LiteralText text={request.tool} /> {what}
      </p>
      {!isShown && (
        <div className={styles.action}>
          <LongText text={showUnseen(pattern)} />
        </div>
      )}
    </AnswerForm>
  );
}
