"""What stands between the devices and the gateways of a fleet: an address whose connections go to the gateways in turn, and
past those that are down."""

import asyncio
import threading


class Balancer:
    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self.counts = dict.fromkeys(ports, 0)
        self.next = 0
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self.is_ready = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        if not self.is_ready.wait(10):
            raise RuntimeError("the balancer does not start")

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.accept, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self.is_ready.set()
        self.loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await self.connect()
        except OSError:
            return writer.close()
        await asyncio.gather(self.pump(reader, far_writer), self.pump(far_reader, writer))

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """To the gateway whose turn it is, or to the first one after it that answers."""
        self.next += 1
        ports = [self.ports[(self.next + step) % len(self.ports)] for step in range(len(self.ports))]
        for port in ports:
            try:
                streams = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            self.counts[port] += 1
            return streams
        raise ConnectionRefusedError("no gateway answers")

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            # The other direction ends with it: a gateway that was killed hears nothing more.
            writer.close()

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
