// Starts `pieslice lsp` for configurations of HTCondor, and hands it the settings.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  const { root, subsystem, localName, installedAt, outsideIncludes, pool } =
    workspace.getConfiguration("pieslice");
  return { root, subsystem, localName, installedAt, outsideIncludes, pool };
}

exports.activate = async function () {
  const [command, ...args] = workspace.getConfiguration("pieslice").get("command");
  const languages = ["condor-config", "classad"];
  client = new LanguageClient(
    "pieslice",
    "pieslice",
    { command, args },
    {
      documentSelector: languages.map((language) => ({ language })),
      initializationOptions: settings(),
      middleware: {
        workspace: {
          didChangeConfiguration: () =>
            client.sendNotification("workspace/didChangeConfiguration", {
              settings: { pieslice: settings() },
            }),
        },
      },
      synchronize: { configurationSection: "pieslice" },
    },
  );
  await client.start();
};

exports.deactivate = () => client && client.stop();
