internal import AudioService

AudioProgram.run(CommandLine.arguments)
