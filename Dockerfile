# The executable file in an image with its libraries and nothing else: no shell, no package manager, an ordinary user.
#
#   npm run build:binary && docker build -t paysim .
#
# docs/install.md has the recipes. Everything that is kept is in /data, with the control token.
FROM debian:13-slim AS system
ARG TARGETARCH
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 libstdc++6
COPY dist/binary/ /binary/
RUN mkdir -p /image/usr/local/bin /image/usr/share/doc/paysim /image/etc /data \
 && cp /binary/paysim-linux-$([ "$TARGETARCH" = arm64 ] && echo arm64 || echo x64) /image/usr/local/bin/paysim \
 && cp /binary/licences.txt /image/usr/share/doc/paysim \
 && for library in $(ldd /image/usr/local/bin/paysim | grep -o '/[^ )]*'); do cp -L --parents $library /image; done \
 && install -d -m 1777 /image/tmp \
 && cp /etc/nsswitch.conf /image/etc \
 && echo 'paysim:x:65532:65532::/data:/none' > /image/etc/passwd

FROM scratch
COPY --from=system /image /
COPY --from=system --chown=65532:65532 /data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV PAYSIM_DATA=/data
EXPOSE 7297
HEALTHCHECK --interval=5s --timeout=6s CMD ["/usr/local/bin/paysim", "health"]
ENTRYPOINT ["/usr/local/bin/paysim"]
CMD ["serve", "--host", "0.0.0.0"]
