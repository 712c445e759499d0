internal import NotificationsService

NotificationProgram.run(CommandLine.arguments)
