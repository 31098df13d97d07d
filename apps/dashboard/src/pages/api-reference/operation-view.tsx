import { useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { Badge, type Tone } from '../../ui/index.ts';
import type { Operation, Parameter, TypedSchema } from './open-api.ts';
import { SchemaView } from './schema-view.tsx';

const TONES: Readonly<Record<string, Tone>> = { GET: 'good', DELETE: 'bad' };

/** Shows one route. Renders its details only after the user opens it, because there are many routes. */
export function OperationView({ operation }: { operation: Operation }) {
  const [isOpen, setOpen] = useState(location.hash === `#${operation.id}`);
  const { id, method, path, summary } = operation;
  return (
    <details class="operation" id={id} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Badge tone={TONES[method] ?? 'warn'}>{method}</Badge>
        <code class="breaks">
          <Breakable text={path} />
        </code>
        <span class="operation-summary">{summary}</span>
      </summary>
      {isOpen && <OperationDetails operation={operation} />}
    </details>
  );
}

function OperationDetails({
  operation: { description, parameters, body, answers },
}: {
  operation: Operation;
}) {
  return (
    <div class="operation-details">
      {description.split('\n\n').map((paragraph) => (
        <p key={paragraph}>
          <Markdown text={paragraph} />
        </p>
      ))}
      {parameters.length > 0 && (
        <>
          <h3>{texts.apiReference.parameters}</h3>
          <dl class="schema">
            {parameters.map((parameter) => (
              <ParameterView key={`${parameter.in} ${parameter.name}`} parameter={parameter} />
            ))}
          </dl>
        </>
      )}
      {body !== undefined && (
        <>
          <h3>{texts.apiReference.body}</h3>
          <BodyView body={body} />
        </>
      )}
      <h3>{texts.apiReference.answers}</h3>
      {answers.map(({ status, description: what, body: answer }) => (
        <div key={status} class="operation-answer">
          <p>
            <Badge tone={status < '300' ? 'good' : 'plain'}>{status}</Badge>{' '}
            <span class="soft">
              <Markdown text={what} />
            </span>
          </p>
          {answer !== undefined && <BodyView body={answer} />}
        </div>
      ))}
    </div>
  );
}

/** Renders a text with `code` in backticks, because the document uses no other Markdown. */
function Markdown({ text }: { text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}
    </>
  );
}

function ParameterView({
  parameter: { name, description, required = false, schema = {}, ...where },
}: {
  parameter: Parameter;
}) {
  return (
    <div>
      <dt>
        <code>{name}</code> <span class="soft">{texts.apiReference.places[where.in]}</span>{' '}
        {!required && <span class="soft">{texts.apiReference.optional}</span>}
      </dt>
      <dd>
        <SchemaView schema={schema} />
        {description !== undefined && <p class="hint">{description}</p>}
      </dd>
    </div>
  );
}

function BodyView({ body: { mediaType, schema } }: { body: TypedSchema }) {
  return (
    <>
      <p class="soft">{mediaType}</p>
      <SchemaView schema={schema} />
      {schema.additionalProperties === false && <p class="hint">{texts.apiReference.noOther}</p>}
    </>
  );
}
