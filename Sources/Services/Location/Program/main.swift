internal import LocationService

LocationProgram.run(CommandLine.arguments)
