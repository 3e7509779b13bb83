import { showUnseen } from '@baton/protocol';
import { useMay } from '../data/daemon.tsx';
import { TextArea } from '../design/field.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { MODIFIER } from '../text/modifier.ts';
import { useAnswerDraft } from './answer-draft.ts';
import { AnswerForm, type FormProps } from './answer-form.tsx';
import { isWholeTool, patternOf } from './pattern.ts';

/** Asks what exactly is allowed from now on, in every session of the folder. */
export function AlwaysForm({
  cwd,
  onAllow,
  ...common
}: FormProps & { cwd: string | undefined; onAllow: (pattern: string | undefined) => void }) {
  const { asked, isNew } = common;
  const { request } = asked;
  const isOwner = useMay('owner');
  const exact = patternOf(request);
  const [pattern, setPattern] = useAnswerDraft(asked, 'pattern', exact ?? '');
  const isPlain = isSeen(exact ?? '');
  const tool = <LiteralText text={request.tool} />;
  const where = (
    <>in every session of {cwd === undefined ? 'its folder' : <LiteralText text={cwd} />}.</>
  );
  return (
    <AnswerForm
      {...common}
      words="Always allow"
      widens
      isConfirmation={exact === undefined}
      onSubmit={() => onAllow(pattern === (exact ?? '') ? undefined : pattern)}
    >
      {exact === undefined ? (
        <p>
          {isWholeTool(request) ? (
            <>
              Any use of {tool}, with any arguments, {where}
            </>
          ) : (
            <>
              Exactly this action with {tool}, {where}
            </>
          )}
        </p>
      ) : (
        <TextArea
          label="Pattern to allow"
          hint={
            <>
              For {tool}, {where}{' '}
              {isOwner ? waysToWiden(isPlain) : 'Owners can allow more with a pattern.'}
            </>
          }
          value={isPlain ? pattern : showUnseen(pattern)}
          onChange={({ target }) => setPattern(target.value)}
          unfit={
            isPlain && !isSeen(pattern)
              ? `Contains invisible characters: ${showUnseen(pattern)}`
              : undefined
          }
          // Fields would hide or drop some of what cannot be seen.
          readOnly={!isOwner || !isPlain}
          grows
          spellCheck={false}
          dir="ltr"
          autoFocus={isNew}
          required
        />
      )}
    </AnswerForm>
  );
}

function isSeen(text: string): boolean {
  return showUnseen(text) === text;
}

function waysToWiden(isPlain: boolean): string {
  return isPlain
    ? `Use * as a wildcard. ${MODIFIER}+Enter to confirm.`
    : 'Contains invisible characters, so only an exact match can be allowed.';
}
