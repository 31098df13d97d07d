import { useState } from 'preact/hooks';

/** Error messages of a form by the name of the field. */
export type FieldProblems<Values> = { readonly [Name in keyof Values]?: string };

type TextName<Values> = { [Name in keyof Values]: Values[Name] extends string ? Name : never }[keyof Values];

interface Fields<Values> {
  readonly values: Values;
  /** Returns the properties that connect an input or select to a text value of the form. */
  readonly text: <Name extends TextName<Values>>(
    name: Name,
  ) => {
    readonly value: Values[Name];
    readonly error: string | undefined;
    readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
  };
  readonly set: <Name extends keyof Values>(name: Name) => (value: Values[Name]) => void;
  /**
   * Returns a function for a form's `onSubmit`. Errors that belong to a field are shown at the field; the form shows
   * all others.
   */
  readonly submit: (work: (values: Values) => Promise<unknown>) => () => Promise<void>;
}

/** Stores the values of a form and the errors at its fields. */
export function useFields<Values extends object>(
  first: Values,
  problemsOf: (error: unknown) => FieldProblems<NoInfer<Values>> | undefined = () => undefined,
): Fields<Values> {
  const [values, setValues] = useState(first);
  const [problems, setProblems] = useState<FieldProblems<Values>>({});
  const set: Fields<Values>['set'] = (name) => (value) =>
    setValues((before) => ({ ...before, [name]: value }));
  return {
    values,
    set,
    text: (name) => ({
      value: values[name],
      error: problems[name],
      onInput: ({ currentTarget: { value } }) => set(name)(value as Values[typeof name]),
    }),
    submit: (work) => async () => {
      setProblems({});
      try {
        await work(values);
      } catch (error) {
        const known = problemsOf(error);
        if (known === undefined) throw error;
        setProblems(known);
      }
    },
  };
}
