internal import PushGateway

await PushGatewayProgram.run()
