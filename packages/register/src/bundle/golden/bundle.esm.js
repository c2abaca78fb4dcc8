
export async function* run() { return { returnCode: 0, summary: "hello" }; }
export const descriptor = {"description":"Says hello","roles":{"greeter":{"description":"Greets","systemPrompt":"Say hello.","schema":{"type":"object"}}},"graph":{"edges":[{"from":"__start__","to":"greeter","condition":"FALLBACK","when":null,"prompt":null,"location":null},{"from":"greeter","to":"__end__","condition":"done","when":"last.meta.done","prompt":null,"location":null}]}};
