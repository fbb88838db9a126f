/** The files and the model's words that several scenes share. */

/** A script with one misspelling in three places, far enough apart for three hunks. */
export const greet = `#!/bin/sh
# Greets people, by the time of the day.

morning() {
  echo "Helo, $1, you are early."
}

# Between twelve and six.
# The shop closes at six.
afternoon() {
  echo "Helo, $1."
}

# After six.
# The lights go out at ten.
evening() {
  echo "Helo, $1, come in."
}

morning Ada
afternoon Ada
evening Ada
`;

/** Three hunks in greet.sh. */
export function mend(id: string): string {
  return `call ${id} edit_file {"file_path":"greet.sh","old_string":"Helo","new_string":"Hello","replace_all":true}`;
}

export function run(id: string, description: string, cmd: string): string {
  return `call ${id} exec_command ${JSON.stringify({ description, cmd })}`;
}

/** As run, of a command that waits for the person: its call waits with it as long as a call may. */
export function asks(id: string, description: string, cmd: string): string {
  return `call ${id} exec_command ${JSON.stringify({ description, cmd, yield_time_ms: 600_000 })}`;
}

/** Runs until the file go is there: what comes next comes when a scene says so. */
export function waits(id: string): string {
  return asks(id, "Wait", "until [ -e go ]; do sleep 0.1; done");
}

/** As run, with what else such a call can hold. */
export function runWith(id: string, cmd: string, more: Readonly<Record<string, unknown>>): string {
  return `call ${id} exec_command ${JSON.stringify({ description: "Run it", cmd, ...more })}`;
}

export function write(id: string, path: string, content: string): string {
  return `call ${id} write_file ${JSON.stringify({ file_path: path, content })}`;
}

export function edit(id: string, path: string, from: string, to: string): string {
  return `call ${id} edit_file ${JSON.stringify({ file_path: path, old_string: from, new_string: to })}`;
}

export function read(id: string, path: string): string {
  return `call ${id} read_file ${JSON.stringify({ file_path: path })}`;
}

export function say(text: string): string {
  return `text ${JSON.stringify(text)}`;
}

/** Joins what belongs to one answer of the model, and answers to each other. */
export function script(...steps: readonly (string | readonly string[])[]): string {
  return steps.map((step) => (typeof step === "string" ? step : step.join("\n"))).join("\n----\n") + "\n";
}

/** Asks for a port and serves until it is ended. */
export const serve = "read -p 'Port? ' port; echo \"listening on $port\"; sleep 1000";

/** The story: read, three hunks, a command that asks back, one that is refused, one in the background, and no end. */
export const opening = script(
  ['think "The greeting is misspelt somewhere. I look at the file before I change it."', say("I will look at the file first.\n"), read("c1", "greet.sh")],
  ['want c1 "Helo"', say("`Helo` is misspelt in **three** places:\n\n```sh\necho \"Hello, $1.\"\n```\n\nI propose to mend them all.\n"), mend("c2")],
  ['want c2 "2 of 3"', say("Now I try it out.\n"), asks("c3", "Greet somebody", "read -p 'Name? ' name; echo \"Hello, $name\"")],
  ['want c3 "Hello, Ada"', run("c4", "Remove what was built", "rm -r build")],
  ['want c4 "the build is still needed"', say("Then the build stays. I serve it in the background.\n"), runWith("c5", serve, { run_in_background: true })],
  ['want c5 "running in the background"', say("I write down what was done.\n"), "stall"],
);

export const afterReload = script([say("I go on where I stopped.\n"), write("d1", "NOTES.md", "# Notes\n\nHello is spelled with two l.\n")], [say("Next the tests.\n"), "stall"]);
export const afterKill = script([say("That was all.\n")]);

/** What becomes of greet.sh when its second hunk is rejected. */
export const firstAndThird = greet.replace("Helo, $1, you", "Hello, $1, you").replace("Helo, $1, come", "Hello, $1, come");
