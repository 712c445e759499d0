internal import TransferService

TransferProgram.run(CommandLine.arguments)
